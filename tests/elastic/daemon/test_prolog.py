"""hpc-prolog, as slurmscriptd runs it: its exit code is 0 whatever happens, for any other sends the job back."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

import hpc_components.elastic
from elastic.lab import wait

TEXT = (Path(hpc_components.elastic.__file__).parent / "programs/prolog.py").read_text()


@pytest.fixture
def start(tmp_path):
    """Starts the program whose daemon listens at tmp_path/socket; it ends with the test."""
    path = tmp_path / "hpc-prolog"
    path.write_text(TEXT.replace("/run/hpc-elastic/socket", str(tmp_path / "socket")))
    path.chmod(0o755)
    started = []

    def begin(**environment):
        process = subprocess.Popen(
            [path], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def daemon(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()
        yield listening


def heard(daemon):
    """The open connection, when the program has asked."""
    connection, _ = daemon.accept()
    with connection.makefile() as stream:
        assert stream.readline() == "wait q-[1-4],r-7\n"
    return connection


def test_it_ends_when_the_daemon_answers(start, daemon):
    program = start(SLURM_JOB_NODELIST="q-[1-4],r-7")
    with heard(daemon) as connection:
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(0.3)
        connection.sendall(b"\n")
    assert program.wait(30) == 0


def test_it_ends_well_when_the_daemon_does(start, daemon):
    program = start(SLURM_JOB_NODELIST="q-[1-4],r-7")
    heard(daemon).close()
    assert program.wait(30) == 0


def test_it_ends_well_without_a_daemon(start):
    assert start(SLURM_JOB_NODELIST="q-1").wait(30) == 0


def test_it_ends_well_when_nobody_listens_any_more(start, daemon):
    daemon.close()
    assert start(SLURM_JOB_NODELIST="q-1").wait(30) == 0


def test_it_ends_well_without_nodes(start, daemon):
    assert start().wait(30) == 0


def test_while_it_waits_slurmscriptd_need_not_look_at_it(start, daemon):
    """It polls the output of a program twice a second as long as that is open."""
    program = start(SLURM_JOB_NODELIST="q-[1-4],r-7")
    with heard(daemon):
        assert program.stdout.read() == b""
        assert program.poll() is None


def test_what_waits_is_no_python(start, daemon):
    """A thousand of these would take gigabytes."""
    program = start(SLURM_JOB_NODELIST="q-[1-4],r-7")
    with heard(daemon):
        shell = Path("/bin/sh").resolve()
        wait(lambda: Path(f"/proc/{program.pid}/exe").resolve() == shell, 10)


def test_it_does_not_wait_for_ever(start, daemon, tmp_path):
    """The daemon may hang."""
    path = tmp_path / "hpc-prolog"
    path.write_text(path.read_text().replace("TIMEOUT_SECONDS = 3600", "TIMEOUT_SECONDS = 1"))
    program = start(SLURM_JOB_NODELIST="q-[1-4],r-7")
    with heard(daemon):
        assert program.wait(30) == 0


def test_slurm_can_end_it(start, daemon):
    program = start(SLURM_JOB_NODELIST="q-[1-4],r-7")
    with heard(daemon) as connection:
        os.kill(program.pid, signal.SIGTERM)
        assert program.wait(30) == -signal.SIGTERM
        assert connection.recv(1) == b""
