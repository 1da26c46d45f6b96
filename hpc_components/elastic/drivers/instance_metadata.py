"""Accesses the metadata service, caches its tokens, and sends requests with them, for drivers without an SDK."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from hpc_components.elastic.drivers.http import Answer, Connections, Send

ADDRESS = "http://169.254.169.254"
"""Address of the metadata service on every machine. It is numeric because the service must be reachable before names
can be resolved."""

ANSWER_SECONDS = 10.0
"""Timeout in seconds. The service runs on the host and responds quickly, but a token may take a few seconds."""


class MetadataService:
    def __init__(self, base: str = ADDRESS, send: Send | None = None) -> None:
        parts = urlsplit(base)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"IMDS: {base!r} is not an address; write one like {ADDRESS}")
        self.address = base
        self._send = send or Connections(ANSWER_SECONDS).send


@dataclass(frozen=True)
class Token:
    """A token and its expiry time, in seconds on the cache's clock."""

    text: str
    until: float


class TokenCache:
    """Caches tokens, one per service, and renews each `renewal` seconds before it expires. Thread-safe.

    `new` requests a token for a service. It must raise OSError if none is available.
    """

    def __init__(self, new: Callable[[str], Token], renewal: float, clock: Callable[[], float]) -> None:
        self._new, self._renewal, self._clock = new, renewal, clock
        self._lock = threading.Lock()
        self._known: dict[str, Token] = {}

    def of(self, service: str = "") -> str:
        """Return a token for a service such as `https://management.azure.com/`, or for all services if the name is
        empty.

        Raise OSError if no token is available.
        """
        with self._lock:
            known = self._known.get(service)
            if known is None or known.until - self._renewal <= self._clock():
                known = self._known[service] = self._new(service)
            return known.text

    def refused(self, token: str, service: str = "") -> None:
        """Discard a token that the service rejected, so that the next call requests a new one."""
        with self._lock:
            if service in self._known and self._known[service].text == token:
                del self._known[service]


class Authorized:
    """Sends requests with a token for a service. If the service rejects the token, the request is repeated with a new
    one.
    """

    def __init__(self, tokens: TokenCache, send: Send, service: str = "") -> None:
        self._tokens, self._send, self._service = tokens, send, service

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        token = self._tokens.of(self._service)
        answer = self._send(method, url, {**headers, "Authorization": f"Bearer {token}"}, body)
        if answer.status != 401:
            return answer
        self._tokens.refused(token, self._service)
        token = self._tokens.of(self._service)
        return self._send(method, url, {**headers, "Authorization": f"Bearer {token}"}, body)
