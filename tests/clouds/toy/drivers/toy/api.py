"""The one address of the toy cloud, which answers machines and the daemon alike."""

import http.client
import json
import os
from typing import Any
from urllib.parse import urlsplit

ADDRESS = "http://169.254.9.1"
"""The environment's TOY is another one."""

TIMEOUT = 5.0
"""Seconds to wait for an answer."""


class Api:
    """Calls of the toy cloud at an address. OSError if no answer comes."""

    def __init__(self, address: str = "") -> None:
        self.address = address or os.environ.get("TOY", ADDRESS)
        parts = urlsplit(self.address)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"TOY: {self.address!r} is no address such as {ADDRESS}")
        self._host, self._port = parts.hostname, parts.port or 80

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and what the answer's JSON says."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        except (http.client.HTTPException, ValueError) as error:
            raise OSError(f"{self.address}{path}: {error!r}") from None
        finally:
            connection.close()
