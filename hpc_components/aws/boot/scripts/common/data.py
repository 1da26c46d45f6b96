"""Lends a node's users and jobs a role that can access the cluster's buckets and nothing else. People of an
organization that has its own role get that role instead.

AWS SDKs request credentials from this server in the same way as in a container (AWS_CONTAINER_CREDENTIALS_FULL_URI).
Users and jobs can't use the metadata service: it is restricted to root, because its role can access the whole
cluster. This process therefore runs as root.

Runs with the system's Python (3.10 or later) and boto3 (1.20 or later). HPC_DATA_ROLE is the role's ARN, or
empty. HPC_CONFIG is the config bucket, if organizations have roles.
"""

import json
import os
import pwd
import socket
import struct
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

EVERYONE = "/credentials/everyone"
"""Path at which people of organizations, too, get the role for everyone. In one queue, it may have access to a bucket
that an organization's role, which is the same in all queues, lacks."""

LENT_SECONDS = 3600
"""Validity of the credentials, in seconds: the maximum when one role assumes another. Source: STS API reference,
AssumeRole."""

RENEWED_SECONDS = 2400
"""Age, in seconds, at which credentials are renewed. SDKs request new credentials 15 minutes before theirs expire, so
renewing 20 minutes before expiry is early enough."""

PATIENCE_SECONDS = 5
"""Seconds to wait after a failure before trying again."""

ROLES = "common/organizations.json"
"""Object in the config bucket that maps the id of each organization's group to the ARN of its role."""

ROLES_SECONDS = 60
"""Age, in seconds, at which `ROLES` is read again for a user who gets no role with it, because organizations join
while nodes run."""

HEADER = struct.Struct("=IHHII")
QUERY = struct.Struct("=BBBxI")
ENDS = struct.Struct("!HH4s12x4s12x12s")
ANSWER = struct.Struct("=16xBB2x48x12xII")
SOCK_DIAG, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, TCP_ESTABLISHED = 4, 20, 1, 1
"""Layouts and constants for a query about one TCP socket. Source: sock_diag(7); Linux, uapi/linux/inet_diag.h."""


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
        return refused(self.why)


def refused(why: str) -> tuple[int, bytes]:
    return 503, json.dumps({"Code": "NoCredentials", "Message": why}).encode()


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


def client(service: str = "sts") -> Any:
    """Return a new client. Clients are not reused, because a client created while the metadata service is down never
    gets credentials.
    """
    config = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=5, read_timeout=10)
    return boto3.client(service, region_name=os.environ["HPC_REGION"], config=config)


def renewed(before: Lent, connect: Callable[[], Any], role: str, session: str) -> tuple[Lent, float]:
    """Return the credentials to lend from now on, and the number of seconds until the next renewal. `connect` creates
    an STS client.
    """
    asked = time.monotonic()
    try:
        return Lent(take(connect(), role, session), asked + LENT_SECONDS), RENEWED_SECONDS
    except (BotoCoreError, ClientError) as error:
        return Lent(before.answer, before.until, f"{role}: {error}"), PATIENCE_SECONDS


def caller(connection: socket.socket) -> int:
    """Return the id of the user whose process made this connection over the loopback interface. Raise OSError if it
    has closed the connection.

    The kernel knows the user of each open socket, also of processes in user namespaces. A closed socket may seem to
    be root's.
    """
    (host, port), (own_host, own_port) = connection.getpeername(), connection.getsockname()
    ends = ENDS.pack(port, own_port, socket.inet_aton(host), socket.inet_aton(own_host), bytes(4) + b"\xff" * 8)
    query = QUERY.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0) + ends
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
        kernel.send(HEADER.pack(HEADER.size + len(query), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0) + query)
        answer = kernel.recv(4096)
    if HEADER.unpack_from(answer)[1] == SOCK_DIAG_BY_FAMILY:
        _, state, uid, inode = ANSWER.unpack_from(answer)
        if state == TCP_ESTABLISHED and inode:
            return int(uid)
    raise ConnectionError("the connection is closed")


class Loan:
    """Credentials of an organization's role. They are requested when its people first need them."""

    def __init__(self, role: str, session: str) -> None:
        self._role, self._session = role, session
        self._lent, self._due, self._lock = NOTHING, 0.0, threading.Lock()

    def reply(self) -> tuple[int, bytes]:
        with self._lock:  # all ranks of a job wait for one request
            if time.monotonic() >= self._due:
                self._lent, pause = renewed(self._lent, client, self._role, self._session)
                self._due = time.monotonic() + pause
                if self._lent.why:
                    print(self._lent.why, flush=True)
        return self._lent.reply(time.monotonic())


class Organizations:
    """Lends the role of each organization to its people, the members of its group."""

    def __init__(self, bucket: str, session: str) -> None:
        self._bucket, self._session = bucket, session
        self._roles: dict[str, str] | None = None
        self._loans: dict[str, Loan] = {}
        self._due, self._lock = 0.0, threading.Lock()

    def reply(self, uid: int) -> tuple[int, bytes] | None:
        """Return the response for a user of an organization that has a role, or None for any other user."""
        try:
            user = pwd.getpwuid(uid)
        except KeyError:
            return None
        groups = os.getgrouplist(user.pw_name, user.pw_gid)
        first = self._reply_to(groups)
        if first is not None and first[0] == 200:
            return first
        self._read_roles()
        return self._reply_to(groups)

    def _reply_to(self, groups: list[int]) -> tuple[int, bytes] | None:
        if self._roles is None:
            return refused(f"{ROLES} in the config bucket can't be read yet")
        role = next((self._roles[str(gid)] for gid in groups if str(gid) in self._roles), None)
        return None if role is None else self._loans.setdefault(role, Loan(role, self._session)).reply()

    def _read_roles(self) -> None:
        with self._lock:
            if time.monotonic() < self._due:
                return
            try:
                self._roles = json.load(client("s3").get_object(Bucket=self._bucket, Key=ROLES)["Body"])
                self._due = time.monotonic() + ROLES_SECONDS
            except (BotoCoreError, ClientError, ValueError) as error:
                print(f"{ROLES}: {error}", flush=True)
                self._due = time.monotonic() + PATIENCE_SECONDS


class Lender(ThreadingHTTPServer):
    """Serves credentials to the users of the node: to people of an organization those of its role, if it has one, and
    to all others those of one role for everyone.
    """

    daemon_threads = True
    request_queue_size = 1024  # all ranks of a job request credentials at the same time

    lent = NOTHING
    organizations: Organizations | None = None

    def reply(self, path: str, connection: socket.socket) -> tuple[int, bytes]:
        if path not in (PATH, EVERYONE):
            return 404, b""
        reply = None
        if self.organizations is not None and path == PATH:
            try:
                uid = caller(connection)
            except OSError as error:
                return refused(str(error))
            reply = self.organizations.reply(uid) if uid else None
        return self.lent.reply(time.monotonic()) if reply is None else reply

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
        status, body = self.server.reply(self.path, self.connection)
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
    role, session = os.environ["HPC_DATA_ROLE"], socket.gethostname()
    if config := os.environ.get("HPC_CONFIG"):
        server.organizations = Organizations(config, session)
    if role:
        threading.Thread(target=server.renew, args=(role, session), daemon=True).start()
    else:
        server.lent = Lent(b"", 0.0, "this cluster has no bucket for you")
    server.serve_forever()


if __name__ == "__main__":
    main()
