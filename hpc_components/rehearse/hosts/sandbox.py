"""Runs a function in namespaces of its own, under a keeper that leaves nothing behind."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any

from hpc_components.rehearse.hosts.sandbox_init import Failed, Result

__all__ = ["EndedError", "Supervised"]


class EndedError(Exception):
    """The rehearsal's processes ended without a word; its standard error says why."""


class Supervised:
    """`function(line, *arguments)`, called in a process that is PID 1 of new namespaces (mount, net, pid).

    Needs root. Use it as a context manager: at its end, or when this process dies in whatever way, all that was
    started inside is gone. The function must be one that a module has by name; arguments and messages are pickled.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __enter__(self) -> "Supervised":
        self._connection, other = Pipe()
        self._keeper = subprocess.Popen(
            [sys.executable, "-m", "hpc_components.rehearse.hosts.reaper", str(other.fileno())],
            pass_fds=[other.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        other.close()
        self._connection.send(self._call)
        return self

    def __exit__(self, *exc: object) -> None:
        ours = socket.socket(fileno=self._connection.fileno())
        ours.shutdown(socket.SHUT_RDWR)  # a thread that still reads hears of it too
        ours.detach()
        self._connection.close()
        self._keeper.wait()

    @property
    def keeper(self) -> int:
        """Process id of the keeper."""
        return self._keeper.pid

    @property
    def first(self) -> int:
        """Process id, as seen from outside, of PID 1 inside."""
        (unshare,) = _children(self.keeper)
        (first,) = _children(unshare)
        return first

    def say(self, message: Any) -> None:
        """Send a message inside."""
        self._connection.send(message)

    def result(self, heed: Callable[[Any], None] = lambda message: None) -> Any:
        """Give each message to `heed` as it comes; return what the function returns, raise what it raises.

        Raises EndedError if its process ended before.
        """
        while True:
            try:
                message = self._connection.recv()
            except (EOFError, ConnectionError):
                raise EndedError("the rehearsal's processes ended before it was over") from None
            if isinstance(message, Result):
                return message.value
            if isinstance(message, Failed):
                raise message.error
            heed(message)


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]
