"""The daemon's Unix socket, used by Slurm's programs to wake it and by `hpc-elastic status`.

A request is one line: `resume NODES`, `suspend NODES`, `resume-fail NODES`, or `status`, which is answered with a
JSON document. `wait NODES` is answered with an empty line once all its nodes are up or given up; the connection stays
open until then, or until the daemon ends.
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
"""Path known to Slurm's programs and `status`."""
PROGRAMS = ("resume", "suspend", "resume-fail")
"""Programs that wake the daemon."""
MAX_REQUEST_BYTES = 1 << 20
"""Maximum size of a request; the names of 10,000 scattered nodes take about 60 kB."""
REQUEST_TIMEOUT_SECONDS = 5.0
"""Seconds allowed to a caller for sending its request."""


class NotRunningError(OSError):
    """No daemon listens at the socket."""


class ControlSocket:
    """Serves requests until closed, in its own threads: a slow cycle delays no caller."""

    def __init__(
        self,
        path: Path,
        wake: Callable[[str, str], None],
        document: Callable[[], dict[str, Any]],
        when_up: Callable[[Sequence[str], Callable[[], None]], None],
    ) -> None:
        """`wake` is called with program and node list, `when_up` with nodes and a callback for when they are up.

        Raises OSError if another daemon listens there or the path can't be used.
        """
        if _listening(path):
            raise OSError(f"{path}: another hpc-elastic is listening there; stop it first")
        with suppress(FileNotFoundError):
            path.unlink()
        self._path = path
        before = os.umask(0o117)  # only slurm and root may connect, from the first moment
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
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._path.unlink(missing_ok=True)


def ask(path: Path) -> dict[str, Any]:
    """Return the daemon's document. Raise NotRunningError if no daemon runs, and OSError if access is denied."""
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.settimeout(REQUEST_TIMEOUT_SECONDS)
        try:
            daemon.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunningError(f"no daemon listens at {path}") from None
        except PermissionError:
            raise PermissionError(f"{path}: only root and slurm may ask") from None
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
    request_queue_size = 4096  # jobs start by the thousand; Linux allows no more (net.core.somaxconn)
    wake: Callable[[str, str], None]
    document: Callable[[], dict[str, Any]]
    when_up: Callable[[Sequence[str], Callable[[], None]], None]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore callers that hang up or send nothing."""


class _Handler(socketserver.StreamRequestHandler):
    timeout = REQUEST_TIMEOUT_SECONDS
    server: _Server  # ty: ignore

    def handle(self) -> None:
        """Read one request and serve it."""
        line = self.rfile.readline(MAX_REQUEST_BYTES).decode(errors="replace")
        verb, _, rest = line.strip().partition(" ")
        if verb == "status":
            self.wfile.write(json.dumps(self.server.document()).encode())
        elif verb == "wait":
            nodes = expand(rest)
            # It may take minutes, for thousands of callers: keep only the connection, not a thread.
            self.server.when_up(nodes, _Answer(socket.socket(fileno=self.request.detach())))
        elif verb in PROGRAMS:
            self.server.wake(verb, rest)


class _Answer:
    """An open connection whose peer waits for a line."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def __call__(self) -> None:
        """Send the line and hang up, ignoring a peer that has gone."""
        with self._connection, suppress(OSError):
            self._connection.send(b"\n", socket.MSG_DONTWAIT)
