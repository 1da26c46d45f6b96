"""Azure as its machines see it: one server for metadata, blobs, secrets and logs, as strict as the real ones about
tokens and roles."""

import json
import ssl
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from elastic.drivers.arm_rights import needed
from elastic.drivers.fake_arm import GROUP, FakeArm
from serving import HttpServer, TlsServer, serving

from .azure_rights import BLOB_DELETE, BLOB_READ, BLOB_WRITE, LOG_WRITE, ROLES, SECRET_GET, SECRET_LIST, SECRET_SET
from .fake_blob import FakeBlob
from .fake_imds import STORAGE, FakeImds, Vm
from .fake_vault import FakeVault

VAULT, MONITOR = "https://vault.azure.net", "https://monitor.azure.com"
STREAM = "/dataCollectionRules/dcr-1a2b3c/streams/Custom-HpcBoot_CL"
AUDIT_STREAM = "/dataCollectionRules/dcr-1a2b3c/streams/Custom-HpcAudit_CL"


@dataclass
class FakeAzure:
    """All services at one address; `failures` says how often a path answers 503 first."""

    grants: dict[str, frozenset[tuple[str, str]]]
    """Role assignments of each identity, by its client id."""
    roles: Mapping[str, Collection[str]] = field(default_factory=lambda: ROLES)
    """What each role allows."""
    imds: FakeImds = field(default_factory=FakeImds)
    blob: FakeBlob = field(default_factory=FakeBlob)
    vault: FakeVault = field(default_factory=lambda: FakeVault(time.time))
    logs: dict[str, list[str]] = field(default_factory=dict)
    """Messages by computer."""
    failures: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    """Identities, by their client ids, and the scopes on which they did something."""
    refused: list[str] = field(default_factory=list)
    """Calls that were not allowed."""
    address: tuple[str, int] = ("127.0.0.1", 0)
    """Where it listens."""
    more_addresses: Sequence[tuple[str, int]] = ()
    """Where else."""
    context: ssl.SSLContext | None = None
    """What answers by https at `tls`."""
    tls: tuple[str, int] = ("127.0.0.1", 0)
    arm: FakeArm | None = None
    """Azure Resource Manager."""
    owners: Mapping[str, str] = field(default_factory=dict)
    """The account of each container, and the vault of the secrets as `secrets`: what host names there begin with."""

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"fake": self})
        self._servers = [HttpServer(address, handler) for address in (self.address, *self.more_addresses)]
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

    def machine(self, vm: Vm) -> None:
        """Let the machine with this address be there."""
        self.imds.machines[vm.address] = vm

    def refusal(self, token: str, audience: str, action: str, scope: str) -> int:
        """Status for a call that is not allowed; 0 for one that is."""
        given = self.imds.tokens.get(token.removeprefix("Bearer "))
        if given is None or given.resource.rstrip("/") != audience.rstrip("/"):
            self.refused.append(f"no token: {action} on {scope}")
            return 401
        grants = self.grants.get(given.client, frozenset())
        if any(at == scope and action in self.roles[role] for role, at in grants):
            self.used.add((given.client, scope))
            return 0
        self.refused.append(f"{given.client}: {action} on {scope}")
        return 403


class _Handler(BaseHTTPRequestHandler):
    fake: FakeAzure

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve()

    do_PUT = do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - http.server's names

    def _serve(self) -> None:
        fake, asked = self.fake, urlsplit(self.path)
        path, query = unquote(asked.path), dict(parse_qsl(asked.query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fake.asked.append(f"{self.command} {path}")
        more: Mapping[str, str] = {}
        owner = fake.owners.get(path.split("/")[1])
        if isinstance(self.server, TlsServer) and owner and self.headers["Host"].split(".")[0] != owner:
            status, answer = 404, b"another account"
        elif fake.failures[path] > 0:
            fake.failures[path] -= 1
            status, answer = 503, b"slow down"
        elif path.startswith("/metadata/"):
            status, answer = fake.imds.answer(
                self.client_address[0], path.removeprefix("/metadata/"), query, dict(self.headers)
            )
        elif path.startswith("/secrets/"):
            status, answer = self._secret(path.removeprefix("/secrets/"), query, body)
        elif fake.arm and self.headers["Host"] == fake.arm.base.removeprefix("https://"):
            status, more, answer = self._arm(fake.arm, asked.path, query, body)
        elif path in (STREAM, AUDIT_STREAM):
            status, answer = self._log(query, body)
        else:
            status, more, answer = self._blob(path.removeprefix("/"), query, body)
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _refusal(self, audience: str, action: str, scope: str) -> int:
        return self.fake.refusal(self.headers.get("Authorization", ""), audience, action, scope)

    def _secret(self, path: str, query: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        name, _, rest = path.partition("/")
        action = SECRET_SET if self.command == "PUT" else SECRET_LIST if rest == "versions" else SECRET_GET
        if status := self._refusal(VAULT, action, f"secret/{name}"):
            why = f"Caller is not authorized to perform action on resource.\r\nAction: '{action}'"
            return status, FakeVault.error("Forbidden", why)
        scheme = "https" if isinstance(self.server, TlsServer) else "http"
        return self.fake.vault.answer(self.command, f"{scheme}://{self.headers['Host']}", path, query, body)

    def _blob(self, path: str, query: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        blob, (container, _, name) = self.fake.blob, path.partition("/")
        if self.headers.get("x-ms-version", "") < "2017-11-09":  # the first that knows tokens
            return blob.error(400, "InvalidAuthenticationInfo")
        action = {"PUT": BLOB_WRITE, "DELETE": BLOB_DELETE}.get(self.command, BLOB_READ)
        if status := self._refusal(STORAGE, action, f"container/{container}"):
            return blob.error(status, "AuthorizationPermissionMismatch")
        if self.command == "PUT" and self.headers.get("x-ms-blob-type") != "BlockBlob":
            return blob.error(400, "MissingRequiredHeader")
        if query.get("comp") == "list":
            return blob.listed(container, query)
        if self.command == "PUT":
            return blob.put(container, name, body, dict(self.headers))
        return blob.delete(container, name) if self.command == "DELETE" else blob.get(container, name)

    def _arm(
        self, arm: FakeArm, path: str, query: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str], bytes]:
        call, names = arm.action(self.command, path)
        for action in sorted(action for action, id in needed(arm, call, names, query, body) if id == GROUP):
            if status := self._refusal(f"{arm.base}/", action, "group/lab-reaper"):
                error = {"code": "AuthorizationFailed", "message": action}
                return status, {}, json.dumps({"error": error}).encode()
        headers = {
            **dict(self.headers),
            "Authorization": f"Bearer {arm.base}/ {arm.token}",
        }  # the only one that it knows
        return arm.send(self.command, f"{arm.base}{self.path}", headers, body)

    def _log(self, query: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        if status := self._refusal(MONITOR, LOG_WRITE, "logs"):
            return (
                status,
                b'{"error": {"code": "OperationFailed", "message": "The authentication token is not valid"}}',
            )
        if query.get("api-version") != "2023-01-01" or len(body) > 1_048_576:
            return 400, b""
        rows = reversed(json.loads(body))  # which came first is not kept
        for row in sorted(rows, key=lambda row: row["TimeGenerated"]):
            self.fake.logs.setdefault(row["Computer"], []).append(row.get("Message") or row["What"])
        return 204, b""
