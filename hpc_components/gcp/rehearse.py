import threading
from collections.abc import Mapping, Set
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

METADATA = "169.254.169.254"
"""Address of both the metadata server and the network's name server. Source: Compute Engine, "About VM metadata"; VPC
documentation, "Internal DNS"."""

_INSTANCE = "/computeMetadata/v1/instance/"


class NetworkServices:
    """See `hpc_components.rehearse.cluster.network_services`.

    The metadata server tells each host its name and id and, after a notice, that the host is being preempted. Google
    doesn't announce when a preempted machine will stop, so the host counts down the seconds itself. Source: Compute
    Engine, "Spot VMs", "Detect preemption".
    """

    addresses = (METADATA,)
    name_server = METADATA
    machine_names = ("vm-", "c.rehearsal.internal")
    """Prefix and domain of the machines' DNS names. On Google Cloud, a reverse lookup returns the machine's own name,
    but in a rehearsal, names are derived from addresses. Source: VPC documentation, "Internal DNS", reverse lookups.
    """

    def __init__(self) -> None:
        self._machines: dict[str, str] = {}
        self._preempted: set[str] = set()

    def serve(self) -> None:
        machines_here, preempted_here = self._machines, self._preempted

        class Handler(_Handler):
            machines, preempted = machines_here, preempted_here

        threading.Thread(target=_Server((METADATA, 80), Handler).serve_forever, daemon=True).start()

    def add(self, address: str, machine: str) -> None:
        """Register the host at `address`. `machine` is both the host's name and its id."""
        self._machines[address] = machine

    def give_notice(self, address: str, seconds: float) -> None:
        """Mark the host as preempted. `seconds` is ignored, because Google doesn't announce when the machine will
        stop.
        """
        self._preempted.add(address)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore hosts that close the connection before they get the response, because they will retry."""


class _Handler(BaseHTTPRequestHandler):
    machines: Mapping[str, str] = {}
    preempted: Set[str] = frozenset()

    def do_GET(self) -> None:
        address = self.client_address[0]
        machine = self.machines.get(address, "")
        metadata = {
            "id": machine,
            "name": machine,
            "maintenance-event": "NONE",
            "preempted": "TRUE" if address in self.preempted else "FALSE",
        }
        found = metadata.get(urlsplit(self.path).path.removeprefix(_INSTANCE))
        if self.headers.get("Metadata-Flavor") != "Google":
            self._reply(403, "Missing Metadata-Flavor:Google header.")
        elif machine and found:
            self._reply(200, found)
        else:
            self._reply(404, "Not Found")

    def _reply(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Metadata-Flavor", "Google")
        self.send_header("Content-Type", "application/text")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
