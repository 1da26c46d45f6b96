"""However a rehearsal ends, no process, mount, network, cgroup or file of it is left."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hpc_components.rehearse.hosts.cgroups import CGROUPS
from hpc_components.rehearse.hosts.sandbox import Sandbox, SandboxEndedError
from tests.rehearse.performing import REPOSITORY, lacks
from tests.rehearse.scenes import two_hosts

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(lacks("22.05")), reason=lacks("22.05")),
]


def traces(reaper: int) -> dict[str, list[str]]:
    """What can be seen of the rehearsal of that reaper from outside."""
    name = f"hpc-rehearse-{reaper}-"
    return {
        "processes": [str(pid) for pid in _processes() if name in _command(pid)],
        "cgroups": [str(path) for path in CGROUPS.glob(f"*/{name}*")],
    }


def surroundings() -> dict[str, object]:
    """What a rehearsal might change of this machine, as far as nobody else does at the same time."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return {
        "mounts": [mount for mount in mounts if "/dev/shm" in mount or "hpc" in mount],
        "network": sorted(os.listdir("/sys/class/net")),
        "files": [_files(place) for place in ("/dev/shm", "/etc/slurm", "/etc/munge", "/var/spool")],
    }


def _files(folder: str) -> list[str]:
    """What is in a folder, without the copies that `hpc diff` makes there in another worker's test."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("hpc-diff-"))


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def _descendants(pid: int) -> set[int]:
    try:
        children = {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    except OSError:
        return set()
    return children.union(*map(_descendants, children))


def _gone(pid: int) -> bool:
    """No such process, or one that only waits for somebody to read its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait(done, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.05)
    return done()


def test_nothing_is_left_in_the_end():
    before = surroundings()
    with Sandbox(two_hosts, False) as sandbox:
        assert sandbox.result() == ["one", "two"]
        reaper = sandbox.reaper
    assert traces(reaper) == {"processes": [], "cgroups": []}
    assert surroundings() == before


@pytest.mark.parametrize("victim", ["reaper", "init"])
def test_nothing_is_left_when_a_part_is_killed(victim):
    before = surroundings()
    ready = []
    with Sandbox(two_hosts, True) as sandbox:
        reaper = sandbox.reaper

        def kill(message):
            ready.append(message)
            assert traces(reaper)["cgroups"]
            os.kill(getattr(sandbox, victim), signal.SIGKILL)

        with pytest.raises(SandboxEndedError):
            sandbox.result(kill)
    assert ready == ["ready"]
    assert _wait(lambda: not traces(reaper)["processes"])
    if victim == "reaper":  # nobody is left to remove its cgroups, until somebody comes the next time
        with Sandbox(two_hosts, False) as sandbox:
            sandbox.result()
    assert traces(reaper) == {"processes": [], "cgroups": []}
    assert surroundings() == before


@pytest.mark.slow
def test_nothing_is_left_of_a_command_that_is_killed(start):
    before = surroundings()
    command = [str(Path(sys.executable).with_name("hpc")), "rehearse", "aws-cfd"]
    process = start(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    told = []
    for line in process.stderr:
        told.append(line)
        if re.search(r"compute-queue-\S+ (is|are) (configuring|busy)|job \d+ is RUNNING", line):
            break
    else:  # it ended by itself
        process.wait()
        pytest.fail("".join(told))
    started = _descendants(process.pid)
    (reaper,) = (pid for pid in started if "rehearse.hosts.reaper" in _command(pid))
    assert {"slurmctld", "slurmd", "munged"} <= {Path(f"/proc/{pid}/comm").read_text().strip() for pid in started}
    assert traces(reaper)["cgroups"]
    process.kill()
    process.communicate()
    assert _wait(lambda: all(map(_gone, started)))
    assert _wait(lambda: traces(reaper) == {"processes": [], "cgroups": []})
    assert surroundings() == before
