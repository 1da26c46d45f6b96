"""Google Cloud as its machines see it: one server for metadata, buckets, secrets, tokens and logs, as strict as the
real ones about tokens and roles."""

import json
import ssl
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Lock
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from elastic.drivers.fake_gce import FakeGce
from elastic.drivers.gce_shapes import FaultError
from serving import HttpServer, TlsServer, serving

from .fake_lustre import FakeLustre
from .fake_metadata import FakeMetadata, GcpMachine
from .fake_secrets import FakeSecrets
from .fake_storage import FakeStorage
from .gcp_rights import (
    LAUNCH_PERMISSIONS,
    LOG_WRITE,
    OBJECT_CREATE,
    OBJECT_DELETE,
    OBJECT_GET,
    OBJECT_LIST,
    PROJECT,
    ROLES,
    SECRET_ACCESS,
    SECRET_ADD,
    TOKEN,
)

LENT_SECONDS = 3600
DENIED = "Permission '{}' denied on resource '{}' (or it may not exist)."


@dataclass
class FakeGcp:
    """All services at one address; `failures` says how often a path answers 503 first."""

    grants: dict[str, frozenset[tuple[str, str]]]
    """Role and scope of the bindings of each service account, by its email."""
    roles: Mapping[str, Collection[str]] = field(default_factory=lambda: ROLES)
    """What each role allows; those of the plan are not here where no plan is."""
    names: dict[str, str] = field(default_factory=dict)
    """What scopes call buckets and service accounts, by their names in Google Cloud."""
    metadata: FakeMetadata = field(default_factory=FakeMetadata)
    storage: FakeStorage = field(default_factory=FakeStorage)
    secrets: FakeSecrets = field(default_factory=lambda: FakeSecrets(PROJECT))
    lustre: FakeLustre = field(default_factory=FakeLustre)
    gce: FakeGce | None = None
    """Compute Engine."""
    logs: dict[str, list[str]] = field(default_factory=dict)
    """Lines by node."""
    failures: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    """Accounts, by their emails, and the scopes on which they did something."""
    refused: list[str] = field(default_factory=list)
    """Calls that were not allowed."""
    address: tuple[str, int] = ("127.0.0.1", 0)
    """Where it listens."""
    context: ssl.SSLContext | None = None
    """What answers by https at `tls`."""
    tls: tuple[str, int] = ("127.0.0.1", 0)
    asking: Lock = field(default_factory=Lock)

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"fake": self})
        self._servers: list[HttpServer] = [HttpServer(self.address, handler)]
        if self.context is not None:
            self._servers.append(TlsServer(self.tls, handler, self.context))
        with ExitStack() as stack:
            for server in self._servers:
                stack.enter_context(serving(server))
            self._exit = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    @property
    def url(self) -> str:
        return "http://{}:{}".format(*self._servers[0].server_address[:2])

    def machine(self, machine: GcpMachine) -> None:
        """Let the machine with this address be there."""
        self.metadata.machines[machine.address] = machine

    def refusal(self, token: str, permission: str, scope: str) -> tuple[int, bytes] | None:
        """The answer to a call that is not allowed; None for one that is."""
        account = self.metadata.tokens.get(token.removeprefix("Bearer "))
        if account is None:
            self.refused.append(f"no token: {permission} on {scope}")
            return FakeSecrets.error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        grants = self.grants.get(account, frozenset())
        allowed = [at for role, at in grants if _covers(at, scope) and permission in self.roles.get(role, ())]
        if allowed:
            self.used.add((account, allowed[0]))
            return None
        self.refused.append(f"{account}: {permission} on {scope}")
        return FakeSecrets.error(403, "PERMISSION_DENIED", DENIED.format(permission, scope))


def _covers(at: str, scope: str) -> bool:
    """Whether a binding holds there: `bucket/config/published/*` for all objects that begin so."""
    within = at.removesuffix("*") if at.startswith("bucket/") and at.endswith("*") else f"{at}/"
    return at in (scope, "project") or scope.startswith(within)


class _Handler(BaseHTTPRequestHandler):
    fake: FakeGcp

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        fake, asked = self.fake, urlsplit(self.path)
        query = dict(parse_qsl(asked.query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fake.asked.append(f"{self.command} {unquote(asked.path)}")
        more: Mapping[str, str] = {}
        if fake.failures[unquote(asked.path)] > 0:
            fake.failures[unquote(asked.path)] -= 1
            status, answer = FakeSecrets.error(503, "UNAVAILABLE", "slow down")
        elif asked.path.startswith("/computeMetadata/v1/"):
            status, kind, text = fake.metadata.answer(
                self.client_address[0], asked.path.removeprefix("/computeMetadata/v1/"), query, dict(self.headers)
            )
            answer, more = text.encode(), {"Metadata-Flavor": "Google", "Content-Type": kind}
        elif asked.path.startswith("/storage/v1/b/"):
            status, more, answer = self._object(asked.path.removeprefix("/storage/v1/b/"), query)
        elif asked.path.startswith("/upload/storage/v1/b/"):
            status, answer = self._upload(asked.path.split("/")[5], query, body)
        elif asked.path.startswith("/v2/entries:write"):
            status, answer = self._log(body)
        elif ":generateAccessToken" in asked.path:
            status, answer = self._token(asked.path.rpartition("/")[2].partition(":")[0], body)
        elif "/secrets/" in asked.path:
            status, answer = self._secret(asked.path.partition("/secrets/")[2], body)
        elif fake.gce and asked.path.startswith(("/compute/", "/batch/")):
            status, more, answer = self._compute(fake.gce, body)
        else:
            permission, status, answer = fake.lustre.answer(self.command, asked.path, body)
            status, answer = self._refusal(permission, "project") or (status, answer)
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_PUT = do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - http.server's names

    def _refusal(self, permission: str, scope: str) -> tuple[int, bytes] | None:
        return self.fake.refusal(self.headers.get("Authorization", ""), permission, scope)

    def _object(self, path: str, query: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        bucket, _, name = path.partition("/o")
        permission = OBJECT_DELETE if self.command == "DELETE" else OBJECT_GET if name else OBJECT_LIST
        if refusal := self._refusal(permission, f"bucket/{self.fake.names.get(bucket, bucket)}"):
            return refusal[0], {}, refusal[1]
        if not name:
            return self.fake.storage.listed(bucket, query)
        assert "/" not in name[1:], "names are quoted"
        name = unquote(name[1:])
        storage = self.fake.storage
        return storage.delete(bucket, name) if self.command == "DELETE" else storage.get(bucket, name, query)

    def _upload(self, bucket: str, query: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        """Source: Cloud Storage JSON API, "Objects: insert"."""
        name, objects = query["name"], self.fake.storage.buckets[bucket]
        for permission in (OBJECT_CREATE, *([OBJECT_DELETE] if name in objects else [])):
            scope = f"bucket/{self.fake.names.get(bucket, bucket)}/{name}"
            if refusal := self._refusal(permission, scope):
                return refusal
        if self.command != "POST" or query.get("uploadType") != "media":
            return FakeSecrets.error(400, "INVALID_ARGUMENT", "not a simple upload")
        objects[name] = body
        return 200, json.dumps({"name": name, "size": str(len(body))}).encode()

    def _secret(self, path: str, body: bytes) -> tuple[int, bytes]:
        at, _, verb = path.partition(":")
        name, _, version = at.partition("/versions/")
        permission = {"access": SECRET_ACCESS, "addVersion": SECRET_ADD}[verb]
        if refusal := self._refusal(permission, f"secret/{name}"):
            return refusal
        return self.fake.secrets.add(name, body) if verb == "addVersion" else self.fake.secrets.access(name, version)

    def _token(self, account: str, body: bytes) -> tuple[int, bytes]:
        if refusal := self._refusal(TOKEN, f"account/{self.fake.names.get(account, account)}"):
            return refusal
        asked = json.loads(body)
        seconds = int(asked["lifetime"].removesuffix("s"))
        if seconds > LENT_SECONDS or asked["scope"] != ["https://www.googleapis.com/auth/cloud-platform"]:
            return FakeSecrets.error(400, "INVALID_ARGUMENT", "the lifetime or the scope is not allowed")
        ends = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        return 200, json.dumps({"accessToken": self.fake.metadata.token(account), "expireTime": ends}).encode()

    def _log(self, body: bytes) -> tuple[int, bytes]:
        if refusal := self._refusal(LOG_WRITE, "project"):
            return refusal
        asked = json.loads(body)
        if len(body) > 10_000_000 or asked["resource"]["type"] != "gce_instance":
            return FakeSecrets.error(400, "INVALID_ARGUMENT", "too large, or of no machine")
        entries = reversed(asked["entries"])  # which came first is not kept
        for entry in sorted(entries, key=lambda entry: entry["timestamp"]):
            said = entry.get("textPayload") or json.dumps(entry["jsonPayload"])
            self.fake.logs.setdefault(asked["labels"]["node"], []).append(said)
        return 200, b"{}"

    def _compute(self, gce: FakeGce, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """Each request, also those within a batch, takes its own permissions."""

        def allowed(action: str, names: Sequence[str], body: bytes) -> None:
            machines = list(json.loads(body)["perInstanceProperties"]) if action == "launch" else list(names[-1:])
            for permission, on in sorted(LAUNCH_PERMISSIONS[action]):
                mine = all(name.startswith("lab-") for name in machines)
                scope = ("project/lab-*" if mine else "project/others") if on == "machine" else on
                if refusal := self._refusal(permission, scope):
                    raise FaultError("forbidden", json.loads(refusal[1])["error"]["message"], refusal[0])

        with self.fake.asking:
            gce.on_request = allowed
            # the only token that it knows
            headers = {**dict(self.headers), "Authorization": f"Bearer t-{gce.token}"}
            return gce.send(self.command, f"{gce.base}{self.path}", headers, body)
