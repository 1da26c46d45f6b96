"""Forwards standard input and output through a tunnel that can only listen on a port of this machine.

`python -m hpc_components.operate.port_tunnel COMMAND...` is a `ProxyCommand` of ssh. It replaces `{port}` in the
command by a free port, starts the command, connects when it listens, and ends it with the connection. The port is
open on 127.0.0.1 only. Other users of this machine could connect to it as long as it is: they would find an sshd.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

PORT = "{port}"

LISTENS_WITHIN_SECONDS = 90
"""How long a tunnel may take to listen: its program asks the cloud for a token first."""

_CHUNK = 2**16


def main(command: list[str]) -> int:
    """Forward until the other side closes the connection. Return an exit code."""
    ending = _Ending()
    port = _free_port()
    # standard output is the connection, so that the tunnel's own messages go to standard error
    with subprocess.Popen(
        [part.replace(PORT, str(port)) for part in command],
        stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True,
    ) as tunnel:  # fmt: skip
        try:
            ending.allow()
            connection = _connected(tunnel, port)
            if connection is None:
                print(f"{command[0]}: no tunnel", file=sys.stderr)
                return 1
            with connection:
                _forward(connection)
            return 0
        finally:
            _end(tunnel)


class _Ending:
    """Turns signals into SystemExit, so that the tunnel ends too; those that come before it can, when it can."""

    def __init__(self) -> None:
        self._allowed, self._came = False, 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: object) -> None:
        self._came = number
        if self._allowed:
            raise SystemExit(128 + number)

    def allow(self) -> None:
        self._allowed = True
        if self._came:
            raise SystemExit(128 + self._came)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _connected(tunnel: subprocess.Popen[bytes], port: int) -> socket.socket | None:
    """Wait until the tunnel listens. Return None if it ends or takes too long."""
    until = time.monotonic() + LISTENS_WITHIN_SECONDS
    while tunnel.poll() is None and time.monotonic() < until:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            time.sleep(0.1)
    return None


def _forward(connection: socket.socket) -> None:
    threading.Thread(target=_send, args=(connection,), daemon=True).start()
    with suppress(OSError):  # either side may end first, and ssh itself reports a lost connection
        while data := connection.recv(_CHUNK):
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]


def _send(connection: socket.socket) -> None:
    with suppress(OSError):
        while data := os.read(0, _CHUNK):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)


def _end(tunnel: subprocess.Popen[bytes]) -> None:
    """End the tunnel with all its processes: a command line of a cloud may be a shell script around a program."""
    try:
        os.killpg(tunnel.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    try:
        tunnel.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(tunnel.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
