"""Provides users and jobs on a node with access tokens for the service account that may use the cluster's buckets.

Google's libraries and tools send their requests to this process instead of the metadata server (GCE_METADATA_HOST).
Only root can reach the real metadata server, because that server also issues tokens for the node's own account.
Therefore, this process runs as root. It serves only the tokens, email and scopes of the buckets' service account, and
the names of the project and the universe.
Source: Compute Engine, "About VM metadata"; Service accounts, "Create short-lived credentials".

Needs only the system's Python, version 3.10 or later. HPC_DATA_ACCOUNT is the account's email, and HPC_PROJECT is the
project id.
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
"""Address to listen on. Only root can listen on a port this low."""

IMDS = os.environ.get("IMDS", "http://169.254.169.254")
SIGNER = os.environ.get("GOOGLEAPIS", "https://iamcredentials.googleapis.com")

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""Scope of the tokens. It is unrestricted, because the account's roles determine what the tokens allow."""

LENT_SECONDS, RENEWED_SECONDS = 3600, 2400
"""Lifetime of a token, and the age at which this process replaces the token, both in seconds. The lifetime is the
longest that organizations allow by default. Libraries request a new token when theirs has less than four minutes
left, and by then this process has a newer one."""

PATIENCE_SECONDS = 5
"""Seconds to wait after failing to create a token."""

TEXT, JSON = "application/text", "application/json"


@dataclass(frozen=True)
class Lent:
    """The current token, or the reason why none is available."""

    token: str = ""
    ends: float = 0.0
    """Time at which the token expires, in seconds since the epoch."""
    until: float = 0.0
    """Time at which to create the next token, on the monotonic clock."""
    why: str = ""


Make = Callable[[], tuple[str, float]]
"""Creates a token and returns it with its expiry time. May raise OSError or ValueError."""


def tokens_of(account: str) -> Make:
    """Return a function that uses the node's own token to create tokens for the service account with this email."""
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
    text = error.read().decode(errors="replace")
    try:
        return json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return text or str(error)


def renewed(before: Lent, make: Make) -> Lent:
    """Return the token to lend from now on. If no new token can be created, keep lending the old one until it
    expires.
    """
    now = time.monotonic()
    try:
        token, ends = make()
        return Lent(token, ends, now + RENEWED_SECONDS)
    except urllib.error.HTTPError as error:
        why = refusal(error)
    except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
        why = f"can't create a token: {error}"
    until = now + PATIENCE_SECONDS
    if time.time() < before.ends:
        return Lent(before.token, before.ends, until)
    return Lent(until=until, why=why)


class Lender(ThreadingHTTPServer):
    """Serves every user on this node, because all users of a queue or of the login nodes share an account."""

    daemon_threads = True
    request_queue_size = 1024  # because all ranks of a job start at the same time

    def __init__(self, address: tuple[str, int], account: str, project: str, make: Make) -> None:
        super().__init__(address, Handler)
        self.account, self.project, self.make = account, project, make
        self._lent = Lent()
        self._making = threading.Lock()

    def lent(self) -> Lent:
        with self._making:
            if time.monotonic() >= self._lent.until:
                self._lent = renewed(self._lent, self.make)
            return self._lent


class Handler(BaseHTTPRequestHandler):
    timeout = 5  # seconds to wait for a client that connects but sends nothing

    def do_GET(self) -> None:
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
        # Refuse requests from web pages in a user's browser, which can't send Metadata-Flavor, and from proxies,
        # which add X-Forwarded-For.
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
        """Log nothing, because users' requests are private."""


def main() -> None:
    account = os.environ["HPC_DATA_ACCOUNT"]
    Lender(ADDRESS, account, os.environ["HPC_PROJECT"], tokens_of(account)).serve_forever()


if __name__ == "__main__":
    main()
