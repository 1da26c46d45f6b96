"""The daemon's socket."""

import os
import socket
import stat
import threading
from contextlib import closing

import pytest

from hpc_components.elastic.control import Control, NotRunningError, ask


class Daemon:
    def __init__(self):
        self.woken = threading.Event()
        self.wakes = []

    def wake(self, program, nodes):
        self.wakes.append((program, nodes))
        self.woken.set()

    def document(self):
        return {"version": 1, "queues": ["q" * 100_000]}


@pytest.fixture
def daemon():
    return Daemon()


@pytest.fixture
def path(tmp_path, daemon):
    with closing(Control(tmp_path / "socket", daemon.wake, daemon.document)):
        yield tmp_path / "socket"


def send(path, message):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(message)


@pytest.mark.parametrize("program", ["resume", "suspend", "resume-fail"])
def test_a_program_wakes_it(path, daemon, program):
    send(path, f"{program} q-[1-4],r-1\n{{}}".encode())
    assert daemon.woken.wait(10)
    assert daemon.wakes == [(program, "q-[1-4],r-1")]


def test_many_jobs_may_come_along(path, daemon):
    send(path, b"resume q-1\n" + b"x" * 5_000_000)
    assert daemon.woken.wait(10)


def test_status_is_answered_whole(path, daemon):
    assert ask(path) == daemon.document()


def test_who_says_nothing_keeps_nobody_waiting(path, daemon):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(path))
        assert ask(path)["version"] == 1


@pytest.mark.parametrize("message", [b"", b"\n", b"launch everything\n", b"\xff\xfe\n", b"resume"])
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
    with pytest.raises(OSError, match="another hpc-elastic listens there already"):
        Control(path, daemon.wake, daemon.document)
    assert ask(path)["version"] == 1


def test_what_a_killed_daemon_left_is_no_hindrance(tmp_path, daemon):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    with pytest.raises(NotRunningError):
        ask(path)
    with closing(Control(path, daemon.wake, daemon.document)):
        assert ask(path)["version"] == 1
    assert not path.exists()


def test_without_a_daemon(tmp_path):
    with pytest.raises(NotRunningError, match="no daemon listens at"):
        ask(tmp_path / "socket")
