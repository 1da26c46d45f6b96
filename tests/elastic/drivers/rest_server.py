"""A stand-in for a cloud's REST interface behind HTTP."""

import gzip
import time
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Generic, Protocol, TypeVar

from serving import HttpServer


class Fake(Protocol):
    """What answers requests. `base` is its address."""

    base: str

    def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """The answer to a request: status, headers, body."""
        ...

    def purpose(self, method: str, url: str, body: bytes) -> str:
        """The action of a call; empty for what is none."""
        ...


F = TypeVar("F", bound=Fake)


class RestServer(HttpServer, Generic[F]):
    """Serves on a free port of the loopback interface."""

    def __init__(self, fake: F, latency: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.latency = latency
        self.lose_answers: Counter[str] = Counter()
        """So many answers to an action are not sent: what was asked is done all the same."""
        self.take(fake)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def take(self, fake: F) -> None:
        """Answer for another one from now on."""
        self.fake, fake.base = fake, self.url

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that goes away, as some tests do, is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or head and body of an answer are 40 ms apart
    server: RestServer[Any]

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        time.sleep(self.server.latency)
        fake = self.server.fake
        status, headers, text = fake.send(self.command, self.path, dict(self.headers.items()), body)
        purpose = fake.purpose(self.command, self.path, body)
        if self.server.lose_answers[purpose] > 0:
            self.server.lose_answers[purpose] -= 1
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
