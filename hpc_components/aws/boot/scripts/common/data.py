"""Lends a node's users and jobs a role that can access the cluster's buckets and nothing else.

AWS SDKs request credentials from this server in the same way as in a container (AWS_CONTAINER_CREDENTIALS_FULL_URI).
Users and jobs can't use the metadata service: it is restricted to root, because its role can access the whole
cluster. This process therefore runs as root.

Runs with the system's Python (3.10 or later) and boto3 (1.20 or later). HPC_DATA_ROLE is the role's ARN.
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
"""Address and port of this server. SDKs accept plain HTTP only from a loopback address, and only root can listen on
this port."""

PATH = "/credentials"

LENT_SECONDS = 3600
"""Validity of the credentials, in seconds: the maximum when one role assumes another. Source: STS API reference,
AssumeRole."""

RENEWED_SECONDS = 2400
"""Age, in seconds, at which credentials are renewed. SDKs request new credentials 15 minutes before theirs expire, so
renewing 20 minutes before expiry is early enough."""

PATIENCE_SECONDS = 5
"""Seconds to wait after a failure before trying again."""


@dataclass(frozen=True)
class Lent:
    """The latest response from STS. Times are taken from the monotonic clock, so clock adjustments don't affect
    them.
    """

    answer: bytes
    until: float
    """Monotonic time at which the credentials expire."""
    why: str = ""
    """Reason why the last renewal failed, or an empty string if it succeeded."""

    def reply(self, now: float) -> tuple[int, bytes]:
        if now < self.until:
            return 200, self.answer
        return 503, json.dumps({"Code": "NoCredentials", "Message": self.why}).encode()


NOTHING = Lent(b"", 0.0, "AWS has not responded yet")


def take(sts: Any, role: str, session: str) -> bytes:
    """Return the role's credentials in the format that SDKs read. Raise BotoCoreError or ClientError if STS fails."""
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
    """Return a new STS client. Clients are not reused, because a client created while the metadata service is down
    never gets credentials.
    """
    config = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=5, read_timeout=10)
    return boto3.client("sts", region_name=os.environ["HPC_REGION"], config=config)


def renewed(before: Lent, connect: Callable[[], Any], role: str, session: str) -> tuple[Lent, float]:
    """Return the credentials to lend from now on, and the number of seconds until the next renewal. `connect` creates
    an STS client.
    """
    asked = time.monotonic()
    try:
        return Lent(take(connect(), role, session), asked + LENT_SECONDS), RENEWED_SECONDS
    except (BotoCoreError, ClientError) as error:
        return Lent(before.answer, before.until, f"{role}: {error}"), PATIENCE_SECONDS


class Lender(ThreadingHTTPServer):
    """Serves credentials to any user on the node, because each role is shared by a whole queue or by all users."""

    daemon_threads = True
    request_queue_size = 1024  # all ranks of a job request credentials at the same time

    lent = NOTHING

    def renew(self, role: str, session: str) -> None:
        """Renew the credentials whenever renewal is due. This method never returns."""
        while True:
            before = self.lent
            self.lent, pause = renewed(before, client, role, session)
            if self.lent.why not in ("", before.why):
                print(self.lent.why, flush=True)  # write each reason to the journal only once
            time.sleep(pause)


class Handler(BaseHTTPRequestHandler):
    timeout = 5  # disconnect silent clients after this many seconds

    def do_GET(self) -> None:
        assert isinstance(self.server, Lender)
        status, body = self.server.lent.reply(time.monotonic()) if self.path == PATH else (404, b"")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, to keep clients' requests private."""


def main() -> None:
    # Retry requests to the metadata service, which provides the node's credentials. Use the regional STS endpoint,
    # because older SDKs default to an endpoint in another region.
    os.environ |= {"AWS_STS_REGIONAL_ENDPOINTS": "regional", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "3"}
    server = Lender(ADDRESS, Handler)
    role = os.environ["HPC_DATA_ROLE"], socket.gethostname()
    threading.Thread(target=server.renew, args=role, daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
