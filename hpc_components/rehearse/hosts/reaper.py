"""The process that stands between a command and its rehearsal: whatever happens to either, nothing stays behind.

It lives in a session of its own, outside the rehearsal's namespaces, and waits for one of two things: the command is
gone (its end of the connection is closed, also by `kill -9`), or the rehearsal is. Then it ends the rehearsal's
PID 1, with which the kernel ends every process, mount and network of the rehearsal, and removes the cgroup
directories, which nothing else would. If the keeper itself is killed, the rehearsal's standard input closes and it
ends by itself; its empty cgroup directories go with the next rehearsal.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["CGROUPS", "cgroup_name", "main"]

CGROUPS = Path("/sys/fs/cgroup")
"""Where the controllers of cgroup v1 are mounted, one directory each."""

_PREFIX = "hpc-rehearse-"

_NAMESPACES = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child=KILL", "--mount-proc")


def main(connection: int) -> None:
    """Run a rehearsal that talks over the file descriptor `connection` until it or the other end is gone."""
    _remove_cgroups(name for name in _existing() if not _is_alive(name))
    errors = os.dup(2)  # unshare itself has nothing to say but that its child was killed
    inside = [sys.executable, "-m", "hpc_components.rehearse.hosts.sandbox_init"]
    rehearsal = subprocess.Popen(
        [*_NAMESPACES, *inside, str(connection), str(errors), cgroup_name(os.getpid())],
        pass_fds=[connection, errors],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(connection, os.pidfd_open(rehearsal.pid))
    finally:
        _end(rehearsal)
        _remove_cgroups([cgroup_name(os.getpid())])


def cgroup_name(pid: int) -> str:
    """The name of the cgroups of the rehearsal whose keeper is `pid`: no later process has the same."""
    return f"{_PREFIX}{pid}-{_start_time(pid)}"


def _wait(connection: int, process: int) -> None:
    poll = select.poll()
    poll.register(connection, 0)  # nothing but that the other end is closed: what is said there is not for us
    poll.register(process, select.POLLIN)
    poll.poll()


def _end(rehearsal: subprocess.Popen[bytes]) -> None:
    children = Path(f"/proc/{rehearsal.pid}/task/{rehearsal.pid}/children")
    try:
        first = [int(pid) for pid in children.read_text().split()]
    except OSError:
        first = []
    for pid in first or [rehearsal.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    rehearsal.wait()


def _existing() -> set[str]:
    return {path.name for path in CGROUPS.glob(f"*/{_PREFIX}*")}


def _is_alive(name: str) -> bool:
    pid = int(name.removeprefix(_PREFIX).partition("-")[0])
    try:
        return cgroup_name(pid) == name
    except OSError:
        return False


def _start_time(pid: int) -> str:
    """When the process began, in the kernel's ticks since the start of the machine (proc(5), stat, field 22)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def _remove_cgroups(names: Iterable[str]) -> None:
    for name in names:
        for top in CGROUPS.glob(f"*/{name}"):
            for directory, _, _ in os.walk(top, topdown=False):
                _remove(Path(directory))


def _remove(cgroup: Path) -> None:
    """Remove an empty cgroup; the kernel may take a moment to see that its processes are gone."""
    for _ in range(100):
        try:
            cgroup.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return


if __name__ == "__main__":
    main(int(sys.argv[1]))
