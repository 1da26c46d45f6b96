"""Simulates Azure's instance metadata service for rehearsals: instance data and eviction notices."""

import json
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

METADATA = "169.254.169.254"
"""Address of the instance metadata service (Azure Virtual Machines, "Azure Instance Metadata Service")."""

_NAME_SERVER = "168.63.129.16"
"""Address of the name server in a virtual network (Azure Virtual Network, "What is IP address 168.63.129.16?")."""

_INSTANCE, _EVENTS = "/metadata/instance", "/metadata/scheduledevents"


class NetworkServices:
    """See `hpc_components.rehearse.cluster.network_services`.

    Serves each host its name and `vmId` and, after a call of `give_notice`, a Preempt event. Source: Azure Virtual
    Machines, "Azure Instance Metadata Service" and "Scheduled Events for Linux VMs".
    """

    addresses = (METADATA, _NAME_SERVER)
    name_server = _NAME_SERVER
    machine_names = ("vm-", "internal.cloudapp.net")
    """Prefix and suffix of host names. Source: Azure Virtual Network, "Name resolution for resources in Azure virtual
    networks", reverse DNS. On Azure, host names contain the machine's name; here, they contain its address."""

    def __init__(self) -> None:
        self._machines: dict[str, str] = {}
        self._events: list[dict[str, Any]] = []

    def serve(self) -> None:
        machines_here, events_here = self._machines, self._events

        class Handler(_Handler):
            machines, events = machines_here, events_here

        threading.Thread(target=_Server((METADATA, 80), Handler).serve_forever, daemon=True).start()

    def add(self, address: str, machine: str) -> None:
        """Register the host at `address`. `machine` is both its name and its `vmId`."""
        self._machines[address] = machine

    def give_notice(self, address: str, seconds: float) -> None:
        """Announce the deletion of a host's machine to all hosts, as Azure does within a scale set."""
        when = datetime.now(UTC) + timedelta(seconds=seconds)
        event = {
            "EventId": f"{len(self._events):08X}-0000-4000-8000-000000000000",
            "EventType": "Preempt",
            "ResourceType": "VirtualMachine",
            "Resources": [self._machines[address]],
            "EventStatus": "Scheduled",
            "NotBefore": f"{when:%a, %d %b %Y %H:%M:%S} GMT",
            "Description": "",
            "EventSource": "Platform",
            "DurationInSeconds": -1,
        }
        self._events.append(event)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors from hosts that disconnect before the response arrives. Such hosts retry."""


class _Handler(BaseHTTPRequestHandler):
    machines: Mapping[str, str] = {}
    events: Sequence[dict[str, Any]] = ()

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        machine = self.machines.get(self.client_address[0], "")
        if self.headers.get("Metadata") != "true" or "api-version" not in parse_qs(asked.query):
            self._reply(400, {"error": "Bad request. Required metadata header not specified"})
        elif asked.path == _EVENTS:
            self._reply(200, {"DocumentIncarnation": len(self.events), "Events": self.events})
        elif asked.path == _INSTANCE and machine:
            compute = {"azEnvironment": "AzurePublicCloud", "name": machine, "tagsList": [], "vmId": machine}
            self._reply(200, {"compute": compute})
        else:
            self._reply(404, {"error": "Not found"})

    def _reply(self, status: int, document: Any) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
