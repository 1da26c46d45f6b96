"""Lends a node's users and jobs tokens for an identity that may use only the cluster's buckets.

Azure's SDKs and tools request tokens here as they would from App Service (IDENTITY_ENDPOINT, IDENTITY_HEADER). Users
and jobs can't use the metadata service, because that service also provides tokens for the node's own identity. Only
root can reach it, so this process runs as root. Source: App Service, "Use managed identities for App Service and
Azure Functions", REST endpoint.

Runs with the system's Python (3.10 or later) and has no other dependencies. HPC_DATA_IDENTITY is the identity's
client id.
"""

import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

ADDRESS = ("127.0.0.1", 170)
"""Host and port on which the server listens. Only root can listen on this port."""

PATH = "/token"

IMDS = os.environ.get("IMDS", "http://169.254.169.254")

RENEWED_SECONDS = 600
"""Age of a token, in seconds, at which a new one is requested. The metadata service may return the same token again,
because it caches tokens for longer."""

PATIENCE_SECONDS = 5
"""Seconds to wait after a failure before trying again."""

MOST_RESOURCES = 100
"""Maximum number of resources whose tokens are cached. Without a limit, requests for made-up names could fill the
memory."""


@dataclass(frozen=True)
class Lent:
    """The latest response for a resource."""

    status: int
    body: bytes
    ends: float
    """Time at which the token expires, in seconds since 1970."""
    until: float
    """Time on the monotonic clock at which to ask the metadata service again."""


Ask = Callable[[str], dict[str, Any]]
"""Takes the name of a resource, and returns the metadata service's response with a token for that resource. Raises
OSError, HTTPException or ValueError if the request fails."""


def metadata_token(identity: str) -> Ask:
    """Return a function that requests tokens for the identity with this client id."""

    def ask(resource: str) -> dict[str, Any]:
        asked = {"api-version": "2018-02-01", "resource": resource, "client_id": identity}
        url = f"{IMDS}/metadata/identity/oauth2/token?{urlencode(asked)}"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(url, headers={"Metadata": "true"}), timeout=20) as reply:
            return json.loads(reply.read())

    return ask


def told(status: int, why: str) -> bytes:
    """Return an error body in App Service's format."""
    return json.dumps({"statusCode": status, "message": why}).encode()


def refusal(error: urllib.error.HTTPError) -> str:
    text = error.read().decode(errors="replace")
    try:
        return json.loads(text)["error_description"]
    except (ValueError, KeyError, TypeError):
        return text or str(error)


def renewed(before: Lent | None, ask: Ask, resource: str) -> Lent:
    """Request a new token, and return the response to send from now on. If the request fails, the old token is used
    until it expires.
    """
    now = time.monotonic()
    try:
        given = ask(resource)
        kept = {key: given[key] for key in ("access_token", "expires_on", "resource", "token_type", "client_id")}
        return Lent(200, json.dumps(kept).encode(), float(given["expires_on"]), now + RENEWED_SECONDS)
    except urllib.error.HTTPError as error:
        why, status = refusal(error), 400 if error.code == 400 else 503
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        why, status = f"no response from the metadata service: {error}", 503
    until = time.monotonic() + PATIENCE_SECONDS
    if before and before.status == 200 and time.time() < before.ends:
        return Lent(200, before.body, before.ends, until)
    return Lent(status, told(status, why), 0.0, until)


class Lender(ThreadingHTTPServer):
    """The token server. Anyone on the node may request tokens, because all users or a whole queue share the
    identity.
    """

    daemon_threads = True
    request_queue_size = 1024  # all ranks of a job start at the same time

    def __init__(self, address: tuple[str, int], identity: str, ask: Ask) -> None:
        super().__init__(address, Handler)
        self.identity, self.ask = identity, ask
        self._lent: dict[str, Lent] = {}
        self._asking = threading.Lock()

    def reply(self, resource: str) -> tuple[int, bytes]:
        with self._asking:
            lent = self._lent.get(resource)
            if lent is None or time.monotonic() >= lent.until:
                if len(self._lent) >= MOST_RESOURCES:
                    self._lent.clear()
                lent = self._lent[resource] = renewed(lent, self.ask, resource)
        return lent.status, lent.body


class Handler(BaseHTTPRequestHandler):
    """Serves GET /token and nothing else."""

    timeout = 5  # seconds until a silent client is disconnected

    def do_GET(self) -> None:
        status, body = self._reply()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _reply(self) -> tuple[int, bytes]:
        assert isinstance(self.server, Lender)
        asked = urlsplit(self.path)
        query = dict(parse_qsl(asked.query))
        if asked.path != PATH:
            return 404, told(404, f"unknown path; use {PATH}")
        if not self.headers.get("X-IDENTITY-HEADER"):  # a web page in a user's browser can't send this header
            return 403, told(403, "no header X-IDENTITY-HEADER")
        if "resource" not in query:
            return 400, told(400, "no resource")
        if query.get("client_id", self.server.identity).lower() != self.server.identity.lower():
            return 400, told(400, f"this node lends only identity {self.server.identity}; omit client_id")
        return self.server.reply(query["resource"])

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, to keep clients' requests private."""


def main() -> None:
    identity = os.environ["HPC_DATA_IDENTITY"]
    Lender(ADDRESS, identity, metadata_token(identity)).serve_forever()


if __name__ == "__main__":
    main()
