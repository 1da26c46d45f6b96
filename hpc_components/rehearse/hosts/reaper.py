"""The process between a command and its sandbox, which cleans up whatever happens to either.

It runs in its own session, outside the sandbox's namespaces, and waits until the command is gone (its end of the
connection is closed, even by `kill -9`) or the sandbox is. Then it kills the sandbox's PID 1, whereupon the kernel
removes every process, mount and network inside. It also removes the cgroup directories, which would otherwise remain.
If the reaper itself is killed, the sandbox's standard input closes and the sandbox ends by itself; the next rehearsal
removes its empty cgroup directories.
"""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from hpc_components.rehearse.hosts import cgroups

_NAMESPACES = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child=KILL", "--mount-proc")


def main(connection: int) -> None:
    """Run a sandbox until it or its caller is gone. They communicate over the file descriptor `connection`."""
    cgroups.remove_abandoned()
    name = cgroups.name_of(os.getpid())
    errors = os.dup(2)  # unshare itself only reports that its child was killed
    init = [sys.executable, "-m", "hpc_components.rehearse.hosts.sandbox_init"]
    sandbox = subprocess.Popen(
        [*_NAMESPACES, *init, str(connection), str(errors), name],
        pass_fds=[connection, errors],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(connection, os.pidfd_open(sandbox.pid))
    finally:
        _kill(sandbox)
        cgroups.remove([name])


def _wait(connection: int, process: int) -> None:
    poll = select.poll()
    poll.register(connection, 0)  # watch only for the other end's closing, because messages are not for the reaper
    poll.register(process, select.POLLIN)
    poll.poll()


def _kill(sandbox: subprocess.Popen[bytes]) -> None:
    children = Path(f"/proc/{sandbox.pid}/task/{sandbox.pid}/children")
    try:
        init = [int(pid) for pid in children.read_text().split()]
    except OSError:
        init = []
    for pid in init or [sandbox.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    sandbox.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]))
