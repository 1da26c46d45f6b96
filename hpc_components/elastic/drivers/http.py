"""Sends HTTP requests over reused connections, for drivers that run on a node without an SDK."""

import gzip
import http.client
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

ANSWER_SECONDS = 30.0
"""Timeout for a connection or a response, in seconds."""
IDLE_SECONDS = 15.0
"""Seconds after which an idle connection is not reused, because the server may have closed it."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Headers, keyed by lowercase name."""
    body: bytes
    """The decompressed body."""


Send = Callable[[str, str, Mapping[str, str], bytes], Answer]
"""Function that sends a request, given the method, URL, headers and body. Raises OSError if there is no response, in
which case it is unknown whether the request was received."""


class Connections:
    """Sends requests over reused connections. Never retries, because only the caller can decide what may be repeated.
    Thread-safe.
    """

    def __init__(self, seconds: float = ANSWER_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[tuple[http.client.HTTPConnection, float]]] = {}

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
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
            raise OSError(f"no response from {parts.netloc}: {error!r}") from None
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
        with self._lock:
            idle, self._idle = self._idle, {}
        for connection, _ in (each for connections in idle.values() for each in connections):
            connection.close()

    def _new(self, scheme: str, netloc: str) -> http.client.HTTPConnection:
        of = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        connection = of(netloc, timeout=self._seconds)
        connection.connect()
        # Avoid a delay of 40 ms between a request's head and its body.
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _idle_one(self, place: tuple[str, str]) -> http.client.HTTPConnection | None:
        with self._lock:
            idle = self._idle.get(place, [])
            connection, since = idle.pop() if idle else (None, 0.0)
            if connection is None or since + IDLE_SECONDS > time.monotonic():
                return connection
            # the others have been idle even longer
            old, self._idle[place] = [connection, *(each for each, _ in idle)], []
        for each in old:
            each.close()
        return None


def _answer(response: http.client.HTTPResponse, body: bytes) -> Answer:
    headers = {name.lower(): value for name, value in response.getheaders()}
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    return Answer(status=response.status, headers=headers, body=body)
