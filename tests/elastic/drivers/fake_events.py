"""Azure's instance metadata service as a compute node asks it: its own name, and scheduled events."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from serving import HttpServer

NAME = "cfd-cpu-hb176rs-v4-1_12"


class FakeEvents(HttpServer):
    """Answers what has the header `Metadata`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.events: list[dict[str, Any]] = []
        self.text = ""
        """Instead of events."""
        self.broken = False
        self.posted = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, kind: str, *names: str, **more: Any) -> None:
        """Schedule an event for machines; this one, if none is named."""
        number = len(self.events)
        self.events.append(
            {
                "EventId": f"E-{number}", "EventType": kind, "EventStatus": "Scheduled", "EventSource": "Platform",
                "ResourceType": "VirtualMachine", "Resources": list(names or (NAME,)), "DurationInSeconds": -1,
                "NotBefore": "Fri, 18 Sep 2026 08:22:00 GMT", "Description": "In words.", **more,
            }
        )  # fmt: skip


class _Answer(BaseHTTPRequestHandler):
    server: FakeEvents

    def __getattr__(self, name: str) -> Any:
        if name == "do_GET":
            return self._get
        if name == "do_POST":
            self.server.posted += 1
        raise AttributeError(name)

    def _get(self) -> None:
        if self.server.broken or self.headers.get("Metadata") != "true":
            self._answer(500, "{}")
        elif self.path == "/metadata/instance?api-version=2021-02-01":
            self._answer(200, json.dumps({"compute": {"name": NAME, "tagsList": []}, "network": {}}))
        elif self.path == "/metadata/scheduledevents?api-version=2020-07-01":
            document = {"DocumentIncarnation": len(self.server.events), "Events": self.server.events}
            self._answer(200, self.server.text or json.dumps(document))
        else:
            self._answer(404, "{}")

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def fake_events():
    with FakeEvents() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
