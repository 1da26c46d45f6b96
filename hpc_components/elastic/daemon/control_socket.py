"""The daemon's Unix socket, which Slurm's programs use to wake the daemon, and `hpc-elastic status` uses to query it.

A request is a single line: `resume NODES`, `suspend NODES`, `resume-fail NODES`, `wait NODES` or `status`. The
response to `status` is a JSON document. The response to `wait NODES` is an empty line, sent as soon as every node is
up or has been given up. The connection stays open until then, or until the daemon exits.
"""

import json
import os
import socket
import socketserver
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hpc_components.elastic.slurm.hostlists import expand

SOCKET = Path("/run/hpc-elastic/socket")
PROGRAMS = ("resume", "suspend", "resume-fail")
MAX_REQUEST_BYTES = 1 << 20
"""Maximum size of a request. The names of 10,000 scattered nodes take about 60 kB."""
REQUEST_TIMEOUT_SECONDS = 5.0
"""Time limit for a caller to send its request, in seconds."""


class NotRunningError(OSError):
    """No daemon is listening on the socket."""


class ControlSocket:
    """Serves requests on separate threads, so that a slow cycle does not delay callers."""

    def __init__(
        self,
        path: Path,
        wake: Callable[[str, str], None],
        document: Callable[[], dict[str, Any]],
        when_up: Callable[[Sequence[str], Callable[[], None]], None],
    ) -> None:
        """Listen on `path`.

        `wake` is called with a program name and a node list. `when_up` is called with nodes and a callback, which
        runs as soon as all of these nodes are up, or one of them has been abandoned. Raise OSError if another daemon
        is already listening or the path can't be used.
        """
        if _listening(path):
            raise OSError(f"another hpc-elastic is already listening at {path}; stop it first")
        with suppress(FileNotFoundError):
            path.unlink()
        self._path = path
        before = os.umask(0o117)  # create the socket so that only slurm and root can ever connect
        try:
            self._server = _Server(str(path), _Handler)
        finally:
            os.umask(before)
        self._server.wake = wake
        self._server.document = document
        self._server.when_up = when_up
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="control")
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._path.unlink(missing_ok=True)


def ask(path: Path) -> dict[str, Any]:
    """Return the daemon's status document.

    Raise NotRunningError if no daemon is running, and PermissionError if access is denied.
    """
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(REQUEST_TIMEOUT_SECONDS)
        try:
            daemon.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunningError(f"no daemon is listening at {path}") from None
        except PermissionError:
            raise PermissionError(f"{path}: only root and slurm can query the daemon") from None
        daemon.sendall(b"status\n")
        daemon.shutdown(socket.SHUT_WR)
        with daemon.makefile("rb") as answer:
            return json.loads(answer.read())


def _listening(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as daemon:
        return daemon.connect_ex(str(path)) == 0


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    # thousands of jobs may start at the same time; this is Linux's default maximum (net.core.somaxconn)
    request_queue_size = 4096
    wake: Callable[[str, str], None]
    document: Callable[[], dict[str, Any]]
    when_up: Callable[[Sequence[str], Callable[[], None]], None]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore callers that hang up or send nothing."""


class _Handler(socketserver.StreamRequestHandler):
    timeout = REQUEST_TIMEOUT_SECONDS
    server: _Server  # ty: ignore

    def handle(self) -> None:
        line = self.rfile.readline(MAX_REQUEST_BYTES).decode(errors="replace")
        verb, _, rest = line.strip().partition(" ")
        if verb == "status":
            self.wfile.write(json.dumps(self.server.document()).encode())
        elif verb == "wait":
            nodes = expand(rest)
            # Keep the connection but no thread, because thousands of callers may wait for minutes.
            self.server.when_up(nodes, _Answer(socket.socket(fileno=self.request.detach())))
        elif verb in PROGRAMS:
            self.server.wake(verb, rest)


class _Answer:
    """An open connection whose peer is waiting for an empty line."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def __call__(self) -> None:
        with self._connection, suppress(OSError):
            self._connection.send(b"\n", socket.MSG_DONTWAIT)
