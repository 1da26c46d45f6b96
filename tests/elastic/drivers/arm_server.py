"""`FakeArm` behind HTTP."""

import gzip
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from serving import HttpServer

from .arm_shapes import AzureError
from .fake_arm import FakeArm

__all__ = ["ArmServer", "serve_arm"]


class ArmServer(HttpServer):
    """Serves on a free port of the loopback interface."""

    def __init__(self, arm: FakeArm, latency: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.latency = latency
        self.lose_answers: Counter[str] = Counter()
        """So many answers to an action are not sent: what was asked is done all the same."""
        self.take(arm)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def take(self, arm: FakeArm) -> None:
        """Answer for another one from now on."""
        self.arm, arm.base = arm, self.url

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that goes away, as some tests do, is no error."""


@contextmanager
def serve_arm(server: ArmServer) -> Generator[ArmServer]:
    """Let `server` run in a thread."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or head and body of an answer are 40 ms apart
    server: ArmServer

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        time.sleep(self.server.latency)
        status, headers, text = self.server.arm.send(self.command, self.path, dict(self.headers.items()), body)
        try:
            action, _ = self.server.arm.action(self.command, urlsplit(self.path).path)
        except AzureError:
            action = ""
        if self.server.lose_answers[action] > 0:
            self.server.lose_answers[action] -= 1
            self.close_connection = True
            return
        if "gzip" in self.headers.get("Accept-Encoding", "") and len(text) > 1000:
            text, headers = gzip.compress(text, 1), headers | {"Content-Encoding": "gzip"}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._any
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""
