"""The address at which a machine asks about itself: as much of EC2's instance metadata as tells of a coming end."""

import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["ADDRESS", "Metadata"]

ADDRESS = "169.254.169.254"
"""Where every cloud keeps it."""

_TOPICS = "/latest/meta-data/"


class Metadata:
    """Serves each host what is known about it: an `instance-id`, and once it is told so, when it is taken away.

    Source: EC2 user guide, "Spot Instance interruption notices" (`spot/instance-action`) and IMDSv2 (a token first).
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}

    def serve(self) -> None:
        """Answer for ever, in threads of its own."""
        known = self._known

        class Handler(_Handler):
            topics = known

        threading.Thread(target=_Server((ADDRESS, 80), Handler).serve_forever, daemon=True).start()

    def introduce(self, address: str, machine: str) -> None:
        """The machine at `address` is called so, and stays for now."""
        self._known[address] = {"instance-id": machine}

    def notice(self, address: str, seconds: float) -> None:
        """The machine at `address` is taken away in so many seconds; a real cloud gives it 120."""
        when = datetime.now(UTC) + timedelta(seconds=seconds)
        action = {"action": "terminate", "time": f"{when:%Y-%m-%dT%H:%M:%SZ}"}
        self._known[address]["spot/instance-action"] = json.dumps(action)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who asks and does not wait for the answer asks again."""


class _Handler(BaseHTTPRequestHandler):
    topics: Mapping[str, Mapping[str, str]] = {}

    def do_PUT(self) -> None:
        """A token for whoever asks: only hosts of the rehearsal reach this address."""
        self._reply(200, "token")

    def do_GET(self) -> None:
        """What is known about the host that asks."""
        known = self.topics.get(self.client_address[0], {})
        value = known.get(self.path.removeprefix(_TOPICS))
        self._reply(404, "") if value is None else self._reply(200, value)

    def _reply(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
