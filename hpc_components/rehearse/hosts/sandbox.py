import os
import socket
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any

from hpc_components.errors import HpcError
from hpc_components.rehearse.hosts.sandbox_init import Raised, Returned


class SandboxEndedError(HpcError):
    """Raised if the sandbox's processes end before the function returns. The sandbox prints the reason to standard
    error.
    """


class Sandbox:
    """Calls `function(channel, *arguments)` in a process that is PID 1 of new namespaces (mount, net, pid).

    Requires root. Use this class as a context manager: when the block or this process ends, everything started in the
    sandbox is removed. The function must be importable by name from a module. Arguments and messages are pickled.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __enter__(self) -> "Sandbox":
        self._connection, other = Pipe()
        self._reaper = subprocess.Popen(
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
        ours.shutdown(socket.SHUT_RDWR)  # also ends any thread that is still reading
        ours.detach()
        self._connection.close()
        self._reaper.wait()

    @property
    def reaper(self) -> int:
        return self._reaper.pid

    @property
    def init(self) -> int:
        """Id of the sandbox's first process, as seen from outside."""
        (unshare,) = _children(self.reaper)
        (init,) = _children(unshare)
        return init

    def send(self, message: Any) -> None:
        self._connection.send(message)

    def result(self, on_message: Callable[[Any], None] = lambda message: None) -> Any:
        """Call `on_message` with each message until the function ends.

        Return the function's return value, or raise its exception. Raise SandboxEndedError if the function's process
        ends first.
        """
        while True:
            try:
                message = self._connection.recv()
            except (EOFError, ConnectionError):
                raise SandboxEndedError("the rehearsal's processes ended prematurely") from None
            if isinstance(message, Returned):
                return message.value
            if isinstance(message, Raised):
                raise message.error
            on_message(message)


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]
