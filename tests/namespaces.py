"""Namespaces in which tests make hosts (`hpc_components.rehearse.hosts.host.Site`)."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def namespaces() -> Iterator[int]:
    """The process id of the first process of new namespaces (mount, net, pid).

    When the block ends, and when this process dies in whatever way, everything in them ends: the first process reads
    from a pipe of ours.
    """
    with subprocess.Popen(
        ["unshare", "-m", "-n", "-p", "--fork", "--kill-child=KILL", "--mount-proc", "sh", "-c", "echo; exec cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as unshare:
        assert unshare.stdout
        unshare.stdout.read(1)  # now it is there, with its own /proc
        first = Path(f"/proc/{unshare.pid}/task/{unshare.pid}/children").read_text()
        yield int(first)
