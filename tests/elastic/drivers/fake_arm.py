"""A stand-in for Azure: Resource Manager, a container of blobs, and tokens. `rest_server` puts it behind HTTP."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from .arm_shapes import AzureError, Operation, ScaleSet, Vm
from .fake_compute import COMPUTE, GROUP, FakeCompute
from .fake_login_sets import OWN_COMPUTE, LoginSet
from .rest_messages import Reply, json_reply, query_of, routing

__all__ = ["BLOBS", "CONFIG", "GROUP", "IDENTITY", "AzureError", "FakeArm", "ScaleSet", "Vm"]


BLOBS = "/nodes"
"""The path of the container."""
IDENTITY = "head"
"""Client id of the identity that may do everything."""
CONFIG = "account/config"
SET, INSTANCE = "virtualMachineScaleSets/([^/]+)", "virtualMachines/([^/]+)"
DEPLOYMENTS = f"{GROUP}/providers/Microsoft.Resources/deployments"
ROUTES = (
    ("GET", f"{OWN_COMPUTE}/virtualMachineScaleSets", "list login sets"),
    ("GET", f"{OWN_COMPUTE}/{SET}/virtualMachines", "list login nodes"),
    ("GET", f"{OWN_COMPUTE}/{SET}/networkInterfaces", "list interfaces"),
    ("GET", f"{COMPUTE}/virtualMachineScaleSets", "list sets"),
    ("GET", f"{COMPUTE}/{SET}", "show set"),
    ("PATCH", f"{COMPUTE}/{SET}", "scale"),
    ("POST", f"{COMPUTE}/{SET}/delete", "delete"),
    ("GET", f"{COMPUTE}/{SET}/virtualMachines", "list machines"),
    ("GET", f"{COMPUTE}/virtualMachines", "list machines"),
    ("GET", f"{COMPUTE}/{SET}/{INSTANCE}", "show machine"),
    ("GET", f"{COMPUTE}/{INSTANCE}", "show machine"),
    ("GET", f"{COMPUTE}/availabilitySets", "list availability sets"),
    ("GET", f"{DEPLOYMENTS}/([^/]+)", "show deployment"),
    ("PUT", f"{DEPLOYMENTS}/([^/]+)", "deploy"),
    ("DELETE", f"{COMPUTE}/{INSTANCE}", "delete machine"),
    ("GET", "/subscriptions/s-1/operations/(.+)", "show operation"),
    ("GET", f"{BLOBS}/(.+)", "read blob"),
    ("PUT", f"{BLOBS}/(.+)", "write blob"),
    ("GET", "/metadata/identity/oauth2/token", "token"),
)

_route = routing(ROUTES)


class FakeArm(FakeCompute):
    """What answers requests. `base` is its address."""

    def __init__(self, clock: Callable[[], float] = time.time, base: str = "https://azure.test") -> None:
        super().__init__(clock)
        self.base = base
        self.blobs: dict[str, tuple[int, bytes]] = {}
        self.login_sets: dict[str, LoginSet] = {}
        self.calls: Counter[str] = Counter()
        """Requests by action; see ROUTES."""
        self.fail: dict[str, AzureError] = {}
        """Answer to all calls of an action."""
        self.page = 1000
        self.token = 1
        """The number of the token that is good."""
        self.says_where = "azure-asyncoperation"
        """The header with an operation's address."""
        self.on_request: Callable[[str, tuple[str, ...], Mapping[str, str], bytes], None] = lambda *request: None
        """Is called with action, names, query and body; may raise an AzureError."""
        self.allows_force = True
        """Whether machines of scale sets may be deleted by force."""
        self.forced = 0
        """Machines of scale sets that were."""
        self.on_names: Callable[[str, Mapping[str, str]], None] = lambda scale_set, names: None
        self._lock = threading.RLock()

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The answer to a request: status, headers, body."""
        parts = urlsplit(url)
        query = query_of(parts.query)
        with self._lock:
            try:
                action, names = self.action(method, parts.path)
                self.calls[action] += 1
                self._admit(action, headers)
                if action != "token":
                    self.on_request(action, names, query, body)
                return self._answer(action, names, query, headers, body)
            except AzureError as fault:
                retry = {"retry-after": str(fault.seconds)} if fault.seconds else {}
                return fault.status, retry, json.dumps(fault.document()).encode()

    def purpose(self, method: str, url: str, body: bytes) -> str:
        """The action of a call; empty for what is none."""
        try:
            return self.action(method, urlsplit(url).path)[0]
        except AzureError:
            return ""

    def action(self, method: str, path: str) -> tuple[str, tuple[str, ...]]:
        """The word under which `calls` counts a request, and the names in its path."""
        found = _route(method, path)
        if found is None:
            raise AzureError("NotFound", f"{method} {path}", 404)
        return found

    def _admit(self, action: str, headers: Mapping[str, str]) -> None:
        resource = "https://storage.azure.com/" if action.endswith(" blob") else f"{self.base}/"
        if action != "token" and headers.get("Authorization") != f"Bearer {resource} {self.token}":
            raise AzureError("InvalidAuthenticationToken", "The access token is of no use.", 401)
        if action in self.fail:
            raise self.fail[action]

    def _answer(
        self, action: str, names: tuple[str, ...], query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> Reply:
        if action == "token":
            return self._token(query, headers)
        if action.endswith(" blob"):
            return self._blob(names[0], headers, body if action == "write blob" else None)
        if action.startswith("list "):
            return self._list(action, names, query)
        if action.startswith("show "):
            return self._show(action, names, query)
        changes: dict[str, Callable[[], Operation]] = {
            "scale": lambda: self.scale(*names, json.loads(body)["sku"]["capacity"], headers.get("If-Match")),
            "delete": lambda: self._delete(names[0], json.loads(body)["instanceIds"], query),
            "deploy": lambda: self.deploy(*names, json.loads(body)["properties"]),
            "delete machine": lambda: self.delete_machine(*names),
        }
        return self._accepted(changes[action]())

    def _delete(self, name: str, instances: list[str], query: Mapping[str, str]) -> Operation:
        forced = query.get("forceDeletion") == "true"
        if forced and not self.allows_force:
            raise AzureError("OperationNotAllowed", "Force deletion is not supported for this scale set.", 409)
        self.forced += len(instances) if forced else 0
        return self.delete(name, instances)

    def _show(self, action: str, names: tuple[str, ...], query: Mapping[str, str]) -> Reply:
        if action == "show set":
            return json_reply(self.show_set(*names))
        if action == "show operation":
            return self._operation(*names)
        if action == "show deployment":
            return json_reply(self.show_deployment(*names))
        self._look_at_view(action, query)
        return json_reply(self.show_machine(*reversed(names)))

    def _list(self, action: str, names: tuple[str, ...], query: Mapping[str, str]) -> Reply:
        if action == "list sets":
            return self._paged(self.list_sets(), f"{COMPUTE}/virtualMachineScaleSets", query)
        if action == "list login sets":
            sets = [each.shown for each in self.login_sets.values()]
            return self._paged(sets, f"{OWN_COMPUTE}/virtualMachineScaleSets", query)
        if action == "list interfaces":
            login = self.login_sets[names[0]]
            return self._paged(login.interfaces(), f"{login.id}/networkInterfaces", query)
        if action == "list login nodes":
            self._look_at_view(action, query)
            login = self.login_sets[names[0]]
            return self._paged(login.machines(), f"{login.id}/virtualMachines", query)
        if action == "list availability sets":
            return self._paged(self.list_availability_sets(), f"{COMPUTE}/availabilitySets", query)
        if not names and "$filter" not in query:
            if "$expand" in query:
                raise AzureError("InvalidParameter", "$expand is for a list with a valid $filter.")
            return self._paged(self.list_virtual_machines(), f"{COMPUTE}/virtualMachines", query)
        self._look_at_view(action, query)
        if names:
            place, scale_set = f"{COMPUTE}/virtualMachineScaleSets/{names[0]}/virtualMachines", names[0]
        else:
            place, scale_set = f"{COMPUTE}/virtualMachines", query["$filter"].rpartition("/")[2].rstrip("'")
        if bool(names) is self.set(scale_set).flexible:
            self.mistakes.append(f"{scale_set} is listed as if it were of the other kind")
        return self._paged(self.list_machines(scale_set), place, query)

    def _look_at_view(self, action: str, query: Mapping[str, str]) -> None:
        if "instanceView" not in query.get("$expand", ""):
            self.mistakes.append(f"{action} without the instance view")

    def _token(self, query: Mapping[str, str], headers: Mapping[str, str]) -> Reply:
        if headers.get("Metadata") != "true" or query.get("client_id") != IDENTITY:
            return json_reply({"error": "invalid_request", "error_description": "Identity not found"}, 400)
        token, until = f"{query['resource']} {self.token}", str(int(self.clock()) + 86400)
        return json_reply({"access_token": token, "expires_on": until, "token_type": "Bearer"})

    def _blob(self, name: str, headers: Mapping[str, str], body: bytes | None) -> Reply:
        changes, text = self.blobs.get(name, (0, b""))
        if body is None:
            found = {"etag": f'"b{changes}"'} if changes else {"x-ms-error-code": "BlobNotFound"}
            return (200 if changes else 404), found, text
        if headers.get("If-None-Match") == "*":
            if changes:
                return 409, {"x-ms-error-code": "BlobAlreadyExists"}, b"<Error/>"
        elif headers.get("If-Match") != f'"b{changes}"':
            if not headers.get("If-Match"):
                self.mistakes.append(f"{name} is written without a condition")
            return 412, {"x-ms-error-code": "ConditionNotMet"}, b"<Error/>"
        self.blobs[name] = changes + 1, body
        self.on_names(name.removesuffix(".json"), json.loads(body)["names"])
        return 201, {"etag": f'"b{changes + 1}"'}, b""

    def _accepted(self, operation: Operation) -> Reply:
        number = str(len(self.operations) + 1)
        self.operations[number] = operation
        return 202, {self.says_where: f"{self.base}/subscriptions/s-1/operations/{number}?api-version=x"}, b""

    def _operation(self, number: str) -> Reply:
        self.spend("operation", number)
        document = self.operations[number].document(self.clock())
        if self.says_where == "azure-asyncoperation":
            return json_reply(document)
        return json_reply(document, 202) if document["status"] == "InProgress" else json_reply({"id": "scale set"})

    def _paged(self, members: list[Callable[[], dict[str, Any]]], place: str, query: Mapping[str, str]) -> Reply:
        start = int(query.get("start", 0))
        document: dict[str, Any] = {"value": [show() for show in members[start : start + self.page]]}
        if start + self.page < len(members):
            more = "&".join(f"{name}={value}" for name, value in query.items() if name != "start")
            more = more.replace(" ", "%20")
            document["nextLink"] = f"{self.base}{place}?{more}&start={start + self.page}"
        return json_reply(document)
