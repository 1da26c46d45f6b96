"""Lends users and jobs on a node tokens of the service account that may use the cluster's buckets.

Google's libraries and tools send their requests here instead of to the metadata server (GCE_METADATA_HOST). The real
metadata server, which also has tokens of the node's own account, answers only root, so this process runs as root. It
serves only tokens of the one account, its email and scopes, and the names of the project and the universe.
Source: Compute Engine, "About VM metadata"; Service accounts, "Create short-lived credentials".

Needs only the system's Python, version 3.10 or later. HPC_DATA_ACCOUNT is the account's email, and HPC_PROJECT is the
project's id.
"""

import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.request
from calendar import timegm
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

ADDRESS = ("127.0.0.1", 170)
"""Address to listen on. Only root can listen on this port."""

IMDS = os.environ.get("IMDS", "http://169.254.169.254")
SIGNER = os.environ.get("GOOGLEAPIS", "https://iamcredentials.googleapis.com")

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""Scope of the tokens. It allows everything, because the account's roles determine what it may do."""

LENT_SECONDS, RENEWED_SECONDS = 3600, 2400
"""How long a token is valid, and the age at which it is replaced. The lifetime is the longest that an organization
allows by default. Libraries request a new token when less than four minutes are left."""

PATIENCE_SECONDS = 5
"""Pause after a failure to create a token."""

TEXT, JSON = "application/text", "application/json"


@dataclass(frozen=True)
class Lent:
    """The current token, or the reason why there is none."""

    token: str = ""
    ends: float = 0.0
    """When the token expires, in seconds since the epoch."""
    until: float = 0.0
    """When to create the next token, by the monotonic clock."""
    why: str = ""


Make = Callable[[], tuple[str, float]]
"""Function that creates a token and returns it with its expiry time. It may raise OSError or ValueError."""


def tokens_of(account: str) -> Make:
    """Return a function that creates tokens of the service account with this email, using the node's own token."""
    alone = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def make() -> tuple[str, float]:
        path = "computeMetadata/v1/instance/service-accounts/default/token"
        own = urllib.request.Request(f"{IMDS}/{path}", headers={"Metadata-Flavor": "Google"})
        with alone.open(own, timeout=20) as reply:
            bearer = json.loads(reply.read())["access_token"]
        asked = {"scope": [SCOPE], "lifetime": f"{LENT_SECONDS}s"}
        request = urllib.request.Request(
            f"{SIGNER}/v1/projects/-/serviceAccounts/{account}:generateAccessToken",
            data=json.dumps(asked).encode(),
            headers={"Authorization": f"Bearer {bearer}", "Content-Type": JSON},
        )
        with urllib.request.urlopen(request, timeout=20) as reply:
            given = json.loads(reply.read())
        ends = timegm(time.strptime(given["expireTime"][:19], "%Y-%m-%dT%H:%M:%S"))
        return given["accessToken"], float(ends)

    return make


def refusal(error: urllib.error.HTTPError) -> str:
    """Return the reason that a service gives for an error."""
    text = error.read().decode(errors="replace")
    try:
        return json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return text or str(error)


def renewed(before: Lent, make: Make) -> Lent:
    """Return what to lend from now on. If no new token can be created, lend the old one until it expires."""
    now = time.monotonic()
    try:
        token, ends = make()
        return Lent(token, ends, now + RENEWED_SECONDS)
    except urllib.error.HTTPError as error:
        why = refusal(error)
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        why = f"no token can be made: {error}"
    until = now + PATIENCE_SECONDS
    if time.time() < before.ends:
        return Lent(before.token, before.ends, until)
    return Lent(until=until, why=why)


class Lender(ThreadingHTTPServer):
    """The server. It serves every user on this node, because a whole queue or all login users share an account."""

    daemon_threads = True
    request_queue_size = 1024  # all ranks of a job start at the same time

    def __init__(self, address: tuple[str, int], account: str, project: str, make: Make) -> None:
        super().__init__(address, Handler)
        self.account, self.project, self.make = account, project, make
        self._lent = Lent()
        self._making = threading.Lock()

    def lent(self) -> Lent:
        """Return the current token, creating a new one if it is due."""
        with self._making:
            if time.monotonic() >= self._lent.until:
                self._lent = renewed(self._lent, self.make)
            return self._lent


class Handler(BaseHTTPRequestHandler):
    """Handler for the few metadata requests that this process supports."""

    timeout = 5  # seconds to wait for a client that connects but sends nothing

    def do_GET(self) -> None:
        """Answer a request."""
        status, kind, body = self._reply()
        self.send_response(status)
        self.send_header("Metadata-Flavor", "Google")
        self.send_header("Server", "Metadata Server for VM")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def _reply(self) -> tuple[int, str, str]:
        assert isinstance(self.server, Lender)
        # a web page in a user's browser can't send the first header, and proxies send the second
        if self.headers.get("Metadata-Flavor") != "Google" or "X-Forwarded-For" in self.headers:
            return 403, TEXT, "no header Metadata-Flavor: Google, or one of a proxy\n"
        asked = urlsplit(self.path)
        if asked.path == "/":
            return 200, TEXT, "computeMetadata/\n"
        path = asked.path.removeprefix("/computeMetadata/v1/")
        fixed = {"project/project-id": self.server.project, "universe/universe-domain": "googleapis.com"}
        if path in fixed:
            return 200, TEXT, fixed[path]
        if path == "instance/service-accounts/":
            return 200, TEXT, f"default/\n{self.server.account}/\n"
        for name in ("default", self.server.account):
            below = f"instance/service-accounts/{name}/"
            if path.startswith(below) or f"{path}/" == below:
                return self._account(path.removeprefix(below.rstrip("/")).strip("/"), dict(parse_qsl(asked.query)))
        return 404, TEXT, f"this node lends tokens of {self.server.account} and nothing else\n"

    def _account(self, what: str, query: dict[str, str]) -> tuple[int, str, str]:
        assert isinstance(self.server, Lender)
        account = {"aliases": ["default"], "email": self.server.account, "scopes": [SCOPE]}
        if what == "token":
            lent = self.server.lent()
            if not lent.token:
                return 503, TEXT, lent.why
            left = max(int(lent.ends - time.time()), 0)
            return 200, JSON, json.dumps({"access_token": lent.token, "expires_in": left, "token_type": "Bearer"})
        if what == "" and query.get("recursive", "").lower() == "true":
            return 200, JSON, json.dumps(account)
        texts = {"": "aliases\nemail\nscopes\ntoken\n", "aliases": "default\n", "scopes": f"{SCOPE}\n"}
        texts["email"] = self.server.account
        return (200, TEXT, texts[what]) if what in texts else (404, TEXT, f"there is no {what}\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because the requests are the users' own business."""


def main() -> None:
    """Serve until stopped."""
    account = os.environ["HPC_DATA_ACCOUNT"]
    Lender(ADDRESS, account, os.environ["HPC_PROJECT"], tokens_of(account)).serve_forever()


if __name__ == "__main__":
    main()
