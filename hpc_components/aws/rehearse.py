import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

METADATA = "169.254.169.254"
"""Address of the instance metadata service (EC2 user guide, "Use the Instance Metadata Service")."""

_NAME_SERVER = "169.254.169.253"
"""Address of a VPC's name server (Amazon VPC user guide, "Amazon DNS server")."""

_TOPICS = "/latest/meta-data/"


class NetworkServices:
    """See `hpc_components.rehearse.cluster.network_services`.

    Serves each host its `instance-id` and, after `give_notice`, its `spot/instance-action`. Source: EC2 user guide,
    "Spot Instance interruption notices" and "Use the Instance Metadata Service" (IMDSv2 requires a token first).
    """

    addresses = (METADATA, _NAME_SERVER)
    name_server = _NAME_SERVER
    machine_names = ("ip-", "compute.internal")
    """Prefix and suffix of machine names. In all regions except us-east-1, the region precedes the suffix. Source:
    EC2 user guide, "EC2 instance hostnames and domains"."""

    def __init__(self) -> None:
        self._topics: dict[str, dict[str, str]] = {}

    def serve(self) -> None:
        answers = self._topics

        class Handler(_Handler):
            topics = answers

        threading.Thread(target=_Server((METADATA, 80), Handler).serve_forever, daemon=True).start()

    def add(self, address: str, machine: str) -> None:
        self._topics[address] = {"instance-id": machine}

    def give_notice(self, address: str, seconds: float) -> None:
        when = datetime.now(UTC) + timedelta(seconds=seconds)
        action = {"action": "terminate", "time": f"{when:%Y-%m-%dT%H:%M:%SZ}"}
        self._topics[address]["spot/instance-action"] = json.dumps(action)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore hosts that disconnect before they receive a response, because they will retry."""


class _Handler(BaseHTTPRequestHandler):
    topics: Mapping[str, Mapping[str, str]] = {}

    def do_PUT(self) -> None:
        """Send a token to any client, because only hosts in the rehearsal can reach this address."""
        self._reply(200, "token")

    def do_GET(self) -> None:
        topics = self.topics.get(self.client_address[0], {})
        value = topics.get(self.path.removeprefix(_TOPICS))
        self._reply(404, "") if value is None else self._reply(200, value)

    def _reply(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress logging."""
