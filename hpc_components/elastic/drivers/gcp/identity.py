"""The metadata server's answers to a machine: its own attributes, and tokens of its service account.

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

ADDRESS = "http://169.254.169.254"
"""Address of the server on every machine; numeric, since it must work before names are resolved."""

ANSWER_SECONDS = 10.0
"""Timeout in seconds. The server answers from the host; a token may take a few seconds."""

RENEWAL_SECONDS = 240.0
"""Renew a token this many seconds before it expires: the server returns the same one until about five minutes before
its end."""


class Metadata:
    """The metadata server at a base address such as `http://169.254.169.254`."""

    def __init__(self, base: str = ADDRESS, send: Send | None = None) -> None:
        parts = urlsplit(base)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"IMDS: {base!r} is not an address; write one like {ADDRESS}")
        self.address = base
        self._send = send or Connections(ANSWER_SECONDS).send

    def read(self, topic: str) -> str | None:
        """Return the text of a topic such as `instance/name`, or None if it does not exist. Raise OSError without an
        answer."""
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
    """Expiry time by the clock of `Tokens`."""


class Tokens:
    """Tokens of the machine's service account, renewed shortly before they expire.

    May be used from any thread. `running` returns seconds of a clock that cannot be set.
    """

    def __init__(self, metadata: Metadata, running: Callable[[], float] = time.monotonic) -> None:
        self._metadata, self._running = metadata, running
        self._lock = threading.Lock()
        self._known = _Token("", 0.0)

    def get(self) -> str:
        """Return a token. Raise OSError if none is available."""
        with self._lock:
            if not self._known.text or self._known.until - RENEWAL_SECONDS <= self._running():
                self._known = self._new()
            return self._known.text

    def refused(self, token: str) -> None:
        """Forget a token that Google rejected: the next call requests a new one."""
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
            raise OSError(f"metadata server: unexpected answer to a token request: {error!r}") from None
