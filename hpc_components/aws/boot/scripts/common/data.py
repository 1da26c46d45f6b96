"""Lends the people and jobs of a node the role that may use the cluster's buckets, and nothing else.

AWS's SDKs ask here as they would ask a container's host (AWS_CONTAINER_CREDENTIALS_FULL_URI). The metadata service,
whose role opens the whole cluster, stays closed to them; this process is root's, because that answers nobody else.

Runs with the Python and boto3 of the system: 3.10 and 1.20 at least. HPC_DATA_ROLE is the role's ARN.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

ADDRESS = ("127.0.0.1", 170)
"""SDKs take no other host than loopback over http. The port is one that only root can listen on."""

PATH = "/credentials"

LENT_SECONDS = 3600
"""How long credentials are good for: the most for who wears a role already. Source: STS API reference, AssumeRole."""

RENEWED_SECONDS = 2400
"""Age at which new ones are taken: SDKs ask again when theirs are good for less than a quarter of an hour."""

PATIENCE_SECONDS = 5
"""Pause after a failure."""


@dataclass(frozen=True)
class Lent:
    """What the last answer of STS was. Times are those of a clock that no time server sets."""

    answer: bytes
    until: float
    """When the credentials end."""
    why: str = ""
    """Why there are no newer ones."""

    def reply(self, now: float) -> tuple[int, bytes]:
        """HTTP status and body for who asks."""
        if now < self.until:
            return 200, self.answer
        return 503, json.dumps({"Code": "NoCredentials", "Message": self.why}).encode()


NOTHING = Lent(b"", 0.0, "no answer of AWS yet")


def take(sts: Any, role: str, session: str) -> bytes:
    """The role's credentials as SDKs read them; BotoCoreError, ClientError."""
    reply = sts.assume_role(RoleArn=role, RoleSessionName=session, DurationSeconds=LENT_SECONDS)
    given = reply["Credentials"]
    credentials = {
        "AccessKeyId": given["AccessKeyId"],
        "SecretAccessKey": given["SecretAccessKey"],
        "Token": given["SessionToken"],
        "Expiration": given["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        "RoleArn": role,
    }
    return json.dumps(credentials).encode()


def client() -> Any:
    """A client for STS. One that is made while the metadata service does not answer never has credentials."""
    config = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=5, read_timeout=10)
    return boto3.client("sts", region_name=os.environ["HPC_REGION"], config=config)


def renewed(before: Lent, connect: Callable[[], Any], role: str, session: str) -> tuple[Lent, float]:
    """What is lent from now on, and how long until the next look. `connect` makes a client for STS."""
    asked = time.monotonic()
    try:
        return Lent(take(connect(), role, session), asked + LENT_SECONDS), RENEWED_SECONDS
    except (BotoCoreError, ClientError) as error:
        return Lent(before.answer, before.until, f"{role}: {error}"), PATIENCE_SECONDS


class Lender(ThreadingHTTPServer):
    """The server. Whoever is on this node may ask: a role is for a whole queue, or for all who log in."""

    daemon_threads = True
    request_queue_size = 1024  # all ranks of a job begin together

    lent = NOTHING

    def renew(self, role: str, session: str) -> None:
        """Take new credentials whenever it is time, for ever."""
        while True:
            before = self.lent
            self.lent, pause = renewed(before, client, role, session)
            if self.lent.why not in ("", before.why):
                print(self.lent.why, flush=True)  # once, into the journal
            time.sleep(pause)


class Handler(BaseHTTPRequestHandler):
    """GET /credentials, and nothing else."""

    timeout = 5  # seconds for who connects and says nothing

    def do_GET(self) -> None:
        """Answer."""
        assert isinstance(self.server, Lender)
        status, body = self.server.lent.reply(time.monotonic()) if self.path == PATH else (404, b"")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Who asks is nobody's business."""


def main() -> None:
    """Serve for ever."""
    # The metadata service has the credentials of the node; AWS's older SDKs ask STS in another region.
    os.environ |= {"AWS_STS_REGIONAL_ENDPOINTS": "regional", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "3"}
    server = Lender(ADDRESS, Handler)
    role = os.environ["HPC_DATA_ROLE"], socket.gethostname()
    threading.Thread(target=server.renew, args=role, daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
