"""Reads tags and access tokens from Azure's instance metadata service.

Source: Azure Virtual Machines, "Azure Instance Metadata Service"; managed identities, "How to use managed identities
for Azure resources on an Azure VM to acquire an access token".
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from hpc_components.elastic.drivers.instance_metadata import MetadataService, Token, TokenCache

RENEWAL_SECONDS = 300.0
"""How many seconds before expiry a token is renewed."""


class Metadata(MetadataService):
    def read(self, topic: str) -> str:
        """Return the metadata at a path, which may include a query string. Raise OSError if the request fails."""
        answer = self._send("GET", f"{self.address}/metadata/{topic}", {"Metadata": "true"}, b"")
        text = answer.body.decode(errors="replace")
        if answer.status != 200:
            raise OSError(f"instance metadata: {topic.partition('?')[0]}: HTTP {answer.status}: {_reason(text)}")
        return text

    def compute(self) -> Mapping[str, Any]:
        """Return this machine's `compute` metadata: `name`, `azEnvironment`, `tagsList` etc."""
        try:
            told = json.loads(self.read("instance?api-version=2021-02-01"))["compute"]
            told["tagsList"]
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"instance metadata: unexpected response: {error!r}") from None
        return told


def _reason(text: str) -> str:
    try:
        told = json.loads(text)
        return told.get("error_description") or told.get("error") or text
    except (ValueError, AttributeError):
        return text[:200]


class Tokens(TokenCache):
    """Caches access tokens, one per service, for the managed identity whose client id is `identity`."""

    def __init__(self, metadata: Metadata, identity: str, clock: Callable[[], float] = time.time) -> None:
        super().__init__(self._request, RENEWAL_SECONDS, clock)
        self._metadata, self._identity = metadata, identity

    def _request(self, resource: str) -> Token:
        query = f"api-version=2018-02-01&resource={quote(resource, safe='')}&client_id={quote(self._identity)}"
        text = self._metadata.read(f"identity/oauth2/token?{query}")
        try:
            told = json.loads(text)
            return Token(told["access_token"], float(told["expires_on"]))
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"instance metadata: unexpected response to a token request: {error!r}") from None
