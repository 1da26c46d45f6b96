"""The process between a command and its sandbox. It cleans up when either of them ends, for any reason.

The reaper runs in its own session, outside the sandbox's namespaces. It waits until the sandbox ends or the command's
end of the connection is closed. (The kernel closes it even after `kill -9`.) Then the reaper kills the sandbox's PID
1, and the kernel removes every process, mount and network inside. The reaper also removes the cgroup directories,
which would otherwise remain.

If the reaper itself is killed, the sandbox's standard input closes and the sandbox ends. The next rehearsal removes
the empty cgroup directories.
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
    """Run a sandbox until the sandbox or its caller ends. They communicate over the file descriptor `connection`."""
    cgroups.remove_abandoned()
    name = cgroups.name_of(os.getpid())
    errors = os.dup(2)  # used by the sandbox; unshare's own stderr only reports that its child was killed
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
    poll.register(connection, 0)  # only watch for a closed connection, because the messages are not for the reaper
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
