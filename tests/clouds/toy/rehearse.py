"""What a rehearsal simulates of the toy cloud's network: its one address, as far as machines ask it."""

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SERVICE = "169.254.9.1"
NAME_SERVER = "169.254.9.2"


class NetworkServices:
    """As in `hpc_components.rehearse.cluster.network_services`."""

    addresses = (SERVICE, NAME_SERVER)
    name_server = NAME_SERVER
    machine_names = ("drop-", "pool.internal")

    def __init__(self) -> None:
        self._told: dict[str, dict[str, str]] = {}

    def serve(self) -> None:
        """Answer at SERVICE."""
        answers = self._told

        class Handler(_Handler):
            told = answers

        threading.Thread(target=ThreadingHTTPServer((SERVICE, 80), Handler).serve_forever, daemon=True).start()

    def add(self, address: str, machine: str) -> None:
        """Tell the host its id."""
        self._told[address] = {"/metadata/id": machine, "/metadata/address": address}

    def give_notice(self, address: str, seconds: float) -> None:
        """Tell the host when it is taken away."""
        self._told[address]["/metadata/notice"] = json.dumps({"at": time.time() + seconds})


class _Handler(BaseHTTPRequestHandler):
    told: Mapping[str, Mapping[str, str]] = {}

    def do_GET(self) -> None:
        """What the host that asks is told."""
        value = self.told.get(self.client_address[0], {}).get(self.path)
        self.send_response(200 if value else 404)
        self.send_header("Content-Length", str(len(value or "")))
        self.end_headers()
        self.wfile.write((value or "").encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
