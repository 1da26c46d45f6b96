"""The head node's view of Azure's instance metadata service: its own tags, and tokens of its identity.

Source: Azure Virtual Machines, "Azure Instance Metadata Service"; managed identities, "How to use managed identities
for Azure resources on an Azure VM to acquire an access token".
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from hpc_components.elastic.drivers.http import Connections, Send

ADDRESS = "http://169.254.169.254"
"""Address of the service on every machine."""

ANSWER_SECONDS = 10.0
"""Timeout in seconds. The service answers from the host; a token may take a few seconds."""

RENEWAL_SECONDS = 300.0
"""Renew a token this many seconds before it expires."""


class Metadata:
    """The metadata service at a base address such as `http://169.254.169.254`."""

    def __init__(self, base: str = ADDRESS, send: Send | None = None) -> None:
        parts = urlsplit(base)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"IMDS: {base!r} is not an address; write one like {ADDRESS}")
        self.address = base
        self._send = send or Connections(ANSWER_SECONDS).send

    def read(self, topic: str) -> str:
        """Return the text of a topic, including its query. Raise OSError if the service does not answer."""
        answer = self._send("GET", f"{self.address}/metadata/{topic}", {"Metadata": "true"}, b"")
        text = answer.body.decode(errors="replace")
        if answer.status != 200:
            raise OSError(f"instance metadata: {topic.partition('?')[0]}: HTTP {answer.status}: {_reason(text)}")
        return text

    def compute(self) -> Mapping[str, Any]:
        """Return the description of this machine: `name`, `azEnvironment`, `tagsList` ..."""
        try:
            told = json.loads(self.read("instance?api-version=2021-02-01"))["compute"]
            told["tagsList"]
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"instance metadata: unexpected answer: {error!r}") from None
        return told


def _reason(text: str) -> str:
    try:
        told = json.loads(text)
        return told.get("error_description") or told.get("error") or text
    except (ValueError, AttributeError):
        return text[:200]


@dataclass(frozen=True)
class _Token:
    text: str
    until: float
    """Expiry time, in seconds since the epoch."""


class Tokens:
    """Tokens of the identity with a client id, one per service; renewed shortly before they expire.

    May be used from any thread.
    """

    def __init__(self, metadata: Metadata, identity: str, clock: Callable[[], float] = time.time) -> None:
        self._metadata, self._identity, self._clock = metadata, identity, clock
        self._lock = threading.Lock()
        self._known: dict[str, _Token] = {}

    def of(self, resource: str) -> str:
        """Return a token for a service such as `https://management.azure.com/`. Raise OSError if none is
        available."""
        with self._lock:
            known = self._known.get(resource)
            if known is None or known.until - RENEWAL_SECONDS <= self._clock():
                known = self._known[resource] = self._new(resource)
            return known.text

    def refused(self, resource: str, token: str) -> None:
        """Forget a token that the service rejected: the next call requests a new one."""
        with self._lock:
            if self._known.get(resource, _Token("", 0.0)).text == token:
                del self._known[resource]

    def _new(self, resource: str) -> _Token:
        query = f"api-version=2018-02-01&resource={quote(resource, safe='')}&client_id={quote(self._identity)}"
        text = self._metadata.read(f"identity/oauth2/token?{query}")
        try:
            told = json.loads(text)
            return _Token(told["access_token"], float(told["expires_on"]))
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"instance metadata: unexpected answer to a token request: {error!r}") from None
