"""The first process inside a rehearsal's namespaces: does what it is asked over the connection, then ends."""

import os
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["Failed", "Line", "Result", "main"]


class Result:
    """The last message: what the function returned."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Failed:
    """The last message: what it raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Line:
    """The connection to the command outside."""

    def __init__(self, connection: Connection, cgroup: str) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self.cgroup = cgroup
        """Name of the rehearsal's own cgroups."""

    def tell(self, message: Any) -> None:
        """Send a message outside."""
        with self._lock:
            self._connection.send(message)

    def hear(self) -> Any:
        """Wait for a message from outside."""
        return self._connection.recv()


def main(connection: Connection, cgroup: str) -> None:
    """Receive a function and its arguments, call it with the line, and send what it returns or raises."""
    threading.Thread(target=_end_with_keeper, daemon=True).start()
    line = Line(connection, cgroup)
    function: Callable[..., Any]
    function, arguments = line.hear()
    try:
        last: Any = Result(function(line, *arguments))
    except Exception as error:
        error.add_note(traceback.format_exc())  # pickle keeps notes, but no traceback
        last = Failed(error)
    line.tell(last)


def _end_with_keeper() -> None:
    """Nothing is ever sent to standard input: it closes when the keeper is gone."""
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    from hpc_components.rehearse.hosts import (
        sandbox_init as inside,  # the same classes as outside, not those of __main__
    )

    os.dup2(int(sys.argv[2]), 2)
    inside.main(Connection(int(sys.argv[1])), sys.argv[3])
