"""The daemon's socket."""

import os
import socket
import stat
import threading
from contextlib import closing, suppress

import pytest

from elastic.lab import wait
from hpc_components.elastic.daemon.control_socket import ControlSocket, NotRunningError, ask


class Daemon:
    def __init__(self):
        self.woken = threading.Event()
        self.wakes = []
        self.waiting = []
        self.waits = threading.Event()

    def wake(self, program, nodes):
        self.wakes.append((program, nodes))
        self.woken.set()

    def document(self):
        return {"version": 1, "queues": ["q" * 100_000]}

    def when_up(self, nodes, then):
        self.waiting.append((nodes, then))
        self.waits.set()


@pytest.fixture
def daemon():
    return Daemon()


@pytest.fixture
def path(tmp_path, daemon):
    with closing(ControlSocket(tmp_path / "socket", daemon.wake, daemon.document, daemon.when_up)):
        yield tmp_path / "socket"
    for _, then in daemon.waiting:
        then()


def send(path, message):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(message)


@pytest.mark.parametrize("program", ["resume", "suspend", "resume-fail"])
def test_a_program_wakes_it(path, daemon, program):
    send(path, f"{program} q-[1-4],r-1\n{{}}".encode())
    assert daemon.woken.wait(10)
    assert daemon.wakes == [(program, "q-[1-4],r-1")]


def test_what_follows_the_line_is_not_needed(path, daemon):
    with suppress(BrokenPipeError):  # it is not read
        send(path, b"resume q-1\n" + b"x" * 5_000_000)
    assert daemon.woken.wait(10)
    assert daemon.wakes == [("resume", "q-1")]


def test_who_waits_for_nodes_is_answered_when_they_are_up(path, daemon):
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.connect(str(path))
        waiting.sendall(b"wait q-[1-2],r-7\n")
        assert daemon.waits.wait(10)
        [(nodes, then)] = daemon.waiting
        assert nodes == ("q-1", "q-2", "r-7")
        waiting.settimeout(0.2)
        with pytest.raises(TimeoutError):
            waiting.recv(1)
        daemon.waiting.clear()
        then()
        waiting.settimeout(10)
        assert waiting.recv(10) == b"\n"
        assert waiting.recv(10) == b""


def test_those_who_wait_need_no_threads(path, daemon):
    connections = [socket.socket(socket.AF_UNIX) for _ in range(200)]
    before = threading.active_count()
    for connection in connections:
        connection.connect(str(path))
        connection.sendall(b"wait q-1\n")
    wait(lambda: len(daemon.waiting) == 200 and threading.active_count() == before)
    for connection in connections:
        connection.close()
    while daemon.waiting:
        daemon.waiting.pop()[1]()  # who has gone is no trouble
    assert ask(path)["version"] == 1


def test_status_is_answered_whole(path, daemon):
    assert ask(path) == daemon.document()


def test_who_says_nothing_keeps_nobody_waiting(path, daemon):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(path))
        assert ask(path)["version"] == 1


@pytest.mark.parametrize(
    "message", [b"", b"\n", b"launch everything\n", b"\xff\xfe\n", b"resume", b"wait", b"wait q-[\n"]
)
def test_nonsense_does_not_end_it(path, daemon, message):
    send(path, message)
    assert ask(path)["version"] == 1


def test_it_is_for_slurm_and_root_alone(path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_the_mask_is_as_before(path):
    mask = os.umask(0o022)
    os.umask(mask)
    assert mask != 0o117


def test_a_second_daemon_is_refused(path, daemon):
    with pytest.raises(OSError, match="another hpc-elastic is already listening at"):
        ControlSocket(path, daemon.wake, daemon.document, daemon.when_up)
    assert ask(path)["version"] == 1


def test_a_socket_left_by_a_killed_daemon_is_replaced(tmp_path, daemon):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    with pytest.raises(NotRunningError):
        ask(path)
    with closing(ControlSocket(path, daemon.wake, daemon.document, daemon.when_up)):
        assert ask(path)["version"] == 1
    assert not path.exists()


def test_asking_without_a_daemon_is_an_error(tmp_path):
    with pytest.raises(NotRunningError, match="no daemon is listening at"):
        ask(tmp_path / "socket")
