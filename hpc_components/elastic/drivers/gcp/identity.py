"""Reads this machine's metadata, and access tokens for its service account, from the metadata server.

Source: Compute Engine documentation, "About VM metadata", "Authenticate workloads to Google Cloud APIs using service
accounts".
"""

import json
import time
from collections.abc import Callable

from hpc_components.elastic.drivers.instance_metadata import MetadataService, Token, TokenCache

RENEWAL_SECONDS = 240.0
"""How many seconds before expiry a token is renewed. An earlier request would return the same token, because the
server issues a new one only about five minutes before the old one expires."""


class Metadata(MetadataService):
    def read(self, topic: str) -> str | None:
        """Return the metadata at a path such as `instance/name`, or None if the path does not exist.

        Raise OSError if the request fails.
        """
        url = f"{self.address}/computeMetadata/v1/{topic}"
        answer = self._send("GET", url, {"Metadata-Flavor": "Google"}, b"")
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise OSError(f"metadata server: {topic}: HTTP {answer.status}")
        return answer.body.decode(errors="replace").strip()


class Tokens(TokenCache):
    """Caches access tokens for the machine's service account. Each token is valid for all services.

    `running` is a monotonic clock that returns seconds.
    """

    def __init__(self, metadata: Metadata, running: Callable[[], float] = time.monotonic) -> None:
        super().__init__(self._request, RENEWAL_SECONDS, running)
        self._metadata, self._running = metadata, running

    def _request(self, _: str) -> Token:
        asked = self._running()
        text = self._metadata.read("instance/service-accounts/default/token")
        if text is None:
            raise OSError("metadata server: no token, because the machine has no service account")
        try:
            told = json.loads(text)
            return Token(told["access_token"], asked + float(told["expires_in"]))
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"metadata server: unexpected response to a token request: {error!r}") from None
