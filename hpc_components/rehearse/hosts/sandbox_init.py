"""First process inside a sandbox: receives a function, calls it, sends the outcome, and ends."""

import os
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class Returned:
    def __init__(self, value: Any) -> None:
        self.value = value


class Raised:
    def __init__(self, error: Exception) -> None:
        self.error = error


class Channel:
    """Connection between the function and the command outside the sandbox."""

    def __init__(self, connection: Connection, cgroup: str) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self.cgroup = cgroup

    def send(self, message: Any) -> None:
        """Send a message from any thread."""
        with self._lock:
            self._connection.send(message)

    def receive(self) -> Any:
        return self._connection.recv()


def main(connection: Connection, cgroup: str) -> None:
    threading.Thread(target=_end_with_reaper, daemon=True).start()
    channel = Channel(connection, cgroup)
    function: Callable[..., Any]
    function, arguments = channel.receive()
    try:
        last: Any = Returned(function(channel, *arguments))
    except Exception as error:
        error.add_note(traceback.format_exc())  # pickle keeps notes but drops tracebacks
        last = Raised(error)
    channel.send(last)


def _end_with_reaper() -> None:
    """Exit as soon as standard input closes, which happens when the reaper ends."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    # pickle classes under their real module name, not __main__
    from hpc_components.rehearse.hosts import sandbox_init

    os.dup2(int(sys.argv[2]), 2)
    sandbox_init.main(Connection(int(sys.argv[1])), sys.argv[3])
