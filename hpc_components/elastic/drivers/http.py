"""HTTP for drivers that travel without an SDK: requests over connections that are used again."""

import gzip
import http.client
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = ["Answer", "Connections", "Send"]

ANSWER_SECONDS = 30.0
"""Seconds to wait for a connection or an answer."""
IDLE_SECONDS = 15.0
"""A connection that was idle for longer is not used again: the other end may have closed it."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back, whatever its status."""

    status: int
    """Of HTTP."""
    headers: Mapping[str, str]
    """By name in small letters."""
    body: bytes
    """As it is before it was compressed."""


Send = Callable[[str, str, Mapping[str, str], bytes], Answer]
"""Sends a request: method, URL, headers, body. OSError if no answer came: then nobody knows whether it was heard."""


class Connections:
    """Sends requests. It repeats none: whoever sends knows what may be repeated. May be used from any thread."""

    def __init__(self, seconds: float = ANSWER_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[tuple[http.client.HTTPConnection, float]]] = {}

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """As `Send` has it."""
        parts = urlsplit(url)
        place = parts.scheme, parts.netloc
        connection = self._idle_one(place) or self._new(*place)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        try:
            connection.request(method, target, body or None, {"Accept-Encoding": "gzip", **headers})
            response = connection.getresponse()
            answer = _answer(response, response.read())
        except (http.client.HTTPException, EOFError) as error:
            connection.close()
            raise OSError(f"no answer from {parts.netloc}: {error!r}") from None
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.setdefault(place, []).append((connection, time.monotonic()))
        return answer

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for connection, _ in (each for connections in idle.values() for each in connections):
            connection.close()

    def _new(self, scheme: str, netloc: str) -> http.client.HTTPConnection:
        of = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        connection = of(netloc, timeout=self._seconds)
        connection.connect()
        # Head and body of a request leave at once, not 40 ms apart.
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _idle_one(self, place: tuple[str, str]) -> http.client.HTTPConnection | None:
        """The one used last, if it is young enough."""
        with self._lock:
            idle = self._idle.get(place, [])
            connection, since = idle.pop() if idle else (None, 0.0)
            if connection is None or since + IDLE_SECONDS > time.monotonic():
                return connection
            old, self._idle[place] = [connection, *(each for each, _ in idle)], []  # the others are older still
        for each in old:
            each.close()
        return None


def _answer(response: http.client.HTTPResponse, body: bytes) -> Answer:
    headers = {name.lower(): value for name, value in response.getheaders()}
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    return Answer(status=response.status, headers=headers, body=body)
