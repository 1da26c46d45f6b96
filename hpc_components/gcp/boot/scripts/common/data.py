"""Lends the people and jobs of a node tokens of the service account that may use the cluster's buckets.

Google's libraries and tools ask here as they would ask the metadata server (GCE_METADATA_HOST). The real one, which
also has tokens of the node's own account, stays closed to them; this process is root's, because that answers nobody
else. Nothing is served but tokens of the one account, its email and scopes, and the names of project and universe.
Source: Compute Engine, "About VM metadata"; Service accounts, "Create short-lived credentials".

Runs with the Python of the system, 3.10 at least, and needs nothing else. HPC_DATA_ACCOUNT is the account's email,
HPC_PROJECT the project's id.
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
"""The port is one that only root can listen on."""

IMDS = os.environ.get("IMDS", "http://169.254.169.254")
SIGNER = os.environ.get("GOOGLEAPIS", "https://iamcredentials.googleapis.com")

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""What the account may do is decided by its roles."""

LENT_SECONDS, RENEWED_SECONDS = 3600, 2400
"""How long a token is good, and the age at which a new one is made. The first is the most without an exception in the
organization. Libraries ask again when less than four minutes are left."""

PATIENCE_SECONDS = 5
"""Pause after a failure."""

TEXT, JSON = "application/text", "application/json"


@dataclass(frozen=True)
class Lent:
    """The last token, or why there is none."""

    token: str = ""
    ends: float = 0.0
    """When the token ends, since 1970."""
    until: float = 0.0
    """When the next one is made, by a clock that no time server sets."""
    why: str = ""


Make = Callable[[], tuple[str, float]]
"""Makes a token, and says when it ends; OSError, ValueError."""


def tokens_of(account: str) -> Make:
    """Tokens of the service account with this email, made with the node's own token."""
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
    """What a service says."""
    text = error.read().decode(errors="replace")
    try:
        return json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return text or str(error)


def renewed(before: Lent, make: Make) -> Lent:
    """What is lent from now on: the old token to its end, where there is no newer one."""
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
    """The server. Whoever is on this node may ask: an account is for a whole queue, or for all who log in."""

    daemon_threads = True
    request_queue_size = 1024  # all ranks of a job begin together

    def __init__(self, address: tuple[str, int], account: str, project: str, make: Make) -> None:
        super().__init__(address, Handler)
        self.account, self.project, self.make = account, project, make
        self._lent = Lent()
        self._making = threading.Lock()

    def lent(self) -> Lent:
        """The token that is good now."""
        with self._making:
            if time.monotonic() >= self._lent.until:
                self._lent = renewed(self._lent, self.make)
            return self._lent


class Handler(BaseHTTPRequestHandler):
    """What of a metadata server there is."""

    timeout = 5  # seconds for who connects and says nothing

    def do_GET(self) -> None:
        """Answer."""
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
        # a page in somebody's browser can't send the one, and a proxy sends the other
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
        """Who asks is nobody's business."""


def main() -> None:
    """Serve for ever."""
    account = os.environ["HPC_DATA_ACCOUNT"]
    Lender(ADDRESS, account, os.environ["HPC_PROJECT"], tokens_of(account)).serve_forever()


if __name__ == "__main__":
    main()
