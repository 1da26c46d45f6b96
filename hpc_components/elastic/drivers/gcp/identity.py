"""What a machine learns from its metadata server: its own attributes, and tokens of its service account.

Source: Compute Engine documentation, "About VM metadata", "Authenticate workloads to Google Cloud APIs using service
accounts".
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from hpc_components.elastic.drivers.http import Connections, Send

__all__ = ["ADDRESS", "Metadata", "Tokens"]

ADDRESS = "http://169.254.169.254"
"""Of the server on every machine; by number, since it must answer before names are resolved."""

ANSWER_SECONDS = 10.0
"""The server answers from the host; a token may take it a few seconds."""

RENEWAL_SECONDS = 240.0
"""A token is renewed so long before it is too old: the server hands out the same one until about five minutes before
its end."""


class Metadata:
    """The metadata server at a base address such as `http://169.254.169.254`."""

    def __init__(self, base: str = ADDRESS, send: Send | None = None) -> None:
        parts = urlsplit(base)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"IMDS: {base!r} is no address such as {ADDRESS}")
        self.address = base
        self._send = send or Connections(ANSWER_SECONDS).send

    def read(self, topic: str) -> str | None:
        """The text of a topic such as `instance/name`; None if there is no such one. OSError without an answer."""
        url = f"{self.address}/computeMetadata/v1/{topic}"
        answer = self._send("GET", url, {"Metadata-Flavor": "Google"}, b"")
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise OSError(f"metadata server: {topic}: HTTP {answer.status}")
        return answer.body.decode(errors="replace").strip()


@dataclass(frozen=True)
class _Token:
    text: str
    until: float
    """By the clock of `Tokens`."""


class Tokens:
    """Tokens of the machine's service account; asked for again shortly before they are too old.

    May be used from any thread. `running` gives seconds of a clock that nobody sets.
    """

    def __init__(self, metadata: Metadata, running: Callable[[], float] = time.monotonic) -> None:
        self._metadata, self._running = metadata, running
        self._lock = threading.Lock()
        self._known = _Token("", 0.0)

    def get(self) -> str:
        """A token. OSError if there is none to be had."""
        with self._lock:
            if not self._known.text or self._known.until - RENEWAL_SECONDS <= self._running():
                self._known = self._new()
            return self._known.text

    def refused(self, token: str) -> None:
        """Google does not take this token: ask for another one next time."""
        with self._lock:
            if self._known.text == token:
                self._known = _Token("", 0.0)

    def _new(self) -> _Token:
        asked = self._running()
        text = self._metadata.read("instance/service-accounts/default/token")
        if text is None:
            raise OSError("metadata server: no token: the machine has no service account")
        try:
            told = json.loads(text)
            return _Token(told["access_token"], asked + float(told["expires_in"]))
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"metadata server: no token: not understood: {error!r}") from None
