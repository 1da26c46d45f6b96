"""hpc-resume and its like, as slurmctld runs them."""

import os
import socket
import subprocess
import time
from pathlib import Path

import pytest

import hpc_components.elastic

TEXT = (Path(hpc_components.elastic.__file__).parent / "programs/wake.py").read_text()


@pytest.fixture
def program(tmp_path):
    """`hpc-resume` whose daemon listens at tmp_path/socket."""
    path = tmp_path / "hpc-resume"
    path.write_text(TEXT.replace("/run/hpc-elastic/socket", str(tmp_path / "socket")))
    path.chmod(0o755)
    return path


@pytest.fixture
def daemon(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()
        yield listening


def call(program, *arguments, **environment):
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=30)


def heard(daemon):
    connection, _ = daemon.accept()
    with connection, connection.makefile() as stream:
        return stream.read()


def test_the_nodes_are_handed_over_and_nothing_that_the_daemon_does_not_read(program, daemon, tmp_path):
    jobs = '{"jobs":[{"job_id":1,"nodes":"q-[1-4]"}],"all_nodes_resume":"q-[1-4]"}'
    (tmp_path / "jobs.json").write_text(jobs)
    done = call(program, "q-[1-4]", SLURM_RESUME_FILE=str(tmp_path / "jobs.json"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert heard(daemon) == "resume q-[1-4]\n"


@pytest.mark.parametrize("name", ["hpc-suspend", "hpc-resume-fail"])
def test_it_is_known_by_its_name(program, daemon, name):
    other = program.with_name(name)
    other.hardlink_to(program)
    assert call(other, "q-7,r-1").returncode == 0
    assert heard(daemon) == f"{name.removeprefix('hpc-')} q-7,r-1\n"


def test_a_resume_file_that_is_gone_is_no_reason_not_to_wake(program, daemon, tmp_path):
    assert call(program, "q-1", SLURM_RESUME_FILE=str(tmp_path / "gone")).returncode == 0
    assert heard(daemon) == "resume q-1\n"


def test_a_daemon_that_does_not_run_is_no_failure(program):
    done = call(program, "q-1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_daemon_that_is_busy_is_not_waited_for(program, daemon):
    nodes = f"q-[{','.join(str(number) for number in range(1, 30_000, 2))}]"  # fits into the socket's buffer, unread
    started = time.monotonic()
    assert call(program, nodes).returncode == 0
    assert time.monotonic() - started < 1, "sent without a time-out"
    assert heard(daemon) == f"resume {nodes}\n"


def test_python_finds_nothing_of_the_users_own(program, daemon, tmp_path):
    (tmp_path / "socket.py").write_text("raise SystemExit('not this one')")
    done = subprocess.run([program, "q-1"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, timeout=30)
    assert done.returncode == 0
    assert heard(daemon) == "resume q-1\n"
