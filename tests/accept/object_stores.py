"""The services of buckets, as far as `bucket_api.py` calls them, with tokens that must be right."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from serving import HttpServer, serving


@dataclass
class ObjectStore:
    url: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    denied: str = ""
    """Pattern of calls that the service refuses, such as `PUT .*`."""


def _name(path: str, query: dict[str, list[str]]) -> str:
    """The object of a request to Cloud Storage or Blob Storage, or empty for the whole bucket."""
    found = re.fullmatch("/storage/v1/b/results/o/(.+)|/data/(.+)", path)
    return query["name"][0] if "name" in query else found[1] or found[2] if found else ""


@contextmanager
def object_store(host: str = "127.0.0.1") -> Iterator[ObjectStore]:
    """A service that answers as Cloud Storage and Blob Storage do, and as what lends tokens of them."""
    store = ObjectStore()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def _any(self) -> None:
            asked = urlsplit(self.path)
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if asked.path.endswith("/token"):
                lent = (
                    self.headers.get("Metadata-Flavor") == "Google" or self.headers.get("X-IDENTITY-HEADER") == "hpc"
                )
                return self._answer(200 if lent else 403, json.dumps({"access_token": "lent"}).encode())
            name = _name(asked.path, parse_qs(asked.query))
            store.calls.append(f"{self.command} {'object' if name else 'list'}")
            if self.headers.get("Authorization") != "Bearer lent" or re.fullmatch(
                store.denied, f"{self.command} {name}"
            ):
                return self._answer(403, b"")
            if self.command in ("PUT", "POST"):
                store.objects[name] = content
            elif self.command == "DELETE":
                del store.objects[name]
            return self._answer(200, store.objects.get(name, b"") if self.command == "GET" else b"")

        do_GET = do_PUT = do_POST = do_DELETE = _any  # noqa: N815

        def _answer(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with serving(HttpServer((host, 0), Handler)) as server:
        store.url = f"{host}:{server.server_port}"
        yield store
