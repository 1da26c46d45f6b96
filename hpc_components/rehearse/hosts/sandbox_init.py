"""The first process inside a sandbox's namespaces: receives a function, calls it, sends the outcome, and ends."""

import os
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class Returned:
    """The last message, which contains the function's return value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Raised:
    """The last message, which contains the exception that the function raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Channel:
    """The connection from the function to the command outside."""

    def __init__(self, connection: Connection, cgroup: str) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self.cgroup = cgroup
        """Name of the sandbox's own cgroups."""

    def send(self, message: Any) -> None:
        """Send a message outside, from any thread."""
        with self._lock:
            self._connection.send(message)

    def receive(self) -> Any:
        """Wait for a message from outside."""
        return self._connection.recv()


def main(connection: Connection, cgroup: str) -> None:
    """Receive a function and its arguments, call it with the channel, and send what it returns or raises."""
    threading.Thread(target=_end_with_reaper, daemon=True).start()
    channel = Channel(connection, cgroup)
    function: Callable[..., Any]
    function, arguments = channel.receive()
    try:
        last: Any = Returned(function(channel, *arguments))
    except Exception as error:
        error.add_note(traceback.format_exc())  # pickle keeps notes, but no traceback
        last = Raised(error)
    channel.send(last)


def _end_with_reaper() -> None:
    """End when standard input closes, which means that the reaper is gone. Nothing is ever sent over it."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    from hpc_components.rehearse.hosts import sandbox_init  # use the same classes as outside, not those of __main__

    os.dup2(int(sys.argv[2]), 2)
    sandbox_init.main(Connection(int(sys.argv[1])), sys.argv[3])
