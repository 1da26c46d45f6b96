"""Reads this machine's attributes, and tokens for its service account, from the metadata server.

Source: Compute Engine documentation, "About VM metadata", "Authenticate workloads to Google Cloud APIs using service
accounts".
"""

import json
import time
from collections.abc import Callable

from hpc_components.elastic.drivers.instance_metadata import MetadataService, Token, TokenCache

RENEWAL_SECONDS = 240.0
"""Seconds before its expiry at which a token is renewed. The server returns the same token until about five minutes
before it expires."""


class Metadata(MetadataService):
    """Google's metadata server."""

    def read(self, topic: str) -> str | None:
        """Return the text of a topic such as `instance/name`, or None if the topic does not exist.

        Raise OSError if there is no answer.
        """
        url = f"{self.address}/computeMetadata/v1/{topic}"
        answer = self._send("GET", url, {"Metadata-Flavor": "Google"}, b"")
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise OSError(f"metadata server: {topic}: HTTP {answer.status}")
        return answer.body.decode(errors="replace").strip()


class Tokens(TokenCache):
    """Tokens for the machine's service account, which are valid for all services.

    Each is renewed shortly before it expires.

    `running` returns the seconds of a monotonic clock.
    """

    def __init__(self, metadata: Metadata, running: Callable[[], float] = time.monotonic) -> None:
        super().__init__(self._request, RENEWAL_SECONDS, running)
        self._metadata, self._running = metadata, running

    def _request(self, _: str) -> Token:
        asked = self._running()
        text = self._metadata.read("instance/service-accounts/default/token")
        if text is None:
            raise OSError("metadata server: no token: the machine has no service account")
        try:
            told = json.loads(text)
            return Token(told["access_token"], asked + float(told["expires_in"]))
        except (ValueError, KeyError, TypeError) as error:
            raise OSError(f"metadata server: unexpected answer to a token request: {error!r}") from None
