"""A stand-in for Google Cloud: Compute Engine with its batch endpoint, a bucket, and tokens. `rest_server` puts it
behind HTTP.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from .fake_compute_engine import FakeComputeEngine
from .gce_shapes import PROJECT, FaultError
from .rest_messages import Reply, json_reply, query_of, routing

BUCKET = "cfd-config"
HERE = f"/compute/(?:v1|beta)/projects/{PROJECT}"
ROUTES = (
    ("POST", f"{HERE}/zones/([^/]+)/instances/bulkInsert", "launch"),
    ("DELETE", f"{HERE}/zones/([^/]+)/instances/([^/]+)", "terminate"),
    ("GET", f"{HERE}/zones/([^/]+)/instances/([^/]+)", "show machine"),
    ("GET", f"{HERE}/zones/([^/]+)/instances", "list launch"),
    ("GET", f"{HERE}/aggregated/instances", "list"),
    ("GET", f"{HERE}/zones/([^/]+)/operations/([^/]+)", "show operation"),
    ("GET", f"{HERE}/zones/([^/]+)/operations", "list operations"),
    ("POST", f"{HERE}/regions/([^/]*)/resourcePolicies", "make policy"),
    ("GET", f"{HERE}/regions/([^/]*)/resourcePolicies", "list policies"),
    ("DELETE", f"{HERE}/regions/([^/]*)/resourcePolicies/([^/]+)", "delete policy"),
    ("POST", "/batch/compute/(v1|beta)", "batch"),
    ("GET", f"/storage/v1/b/{BUCKET}/o/([^/]+)", "read object"),
    ("GET", "/computeMetadata/v1/instance/service-accounts/default/token", "token"),
    ("GET", "/computeMetadata/v1/instance/attributes/([^/]+)", "attribute"),
)

_route = routing(ROUTES)


class FakeGce(FakeComputeEngine):
    """What answers requests. `base` is its address."""

    def __init__(self, clock: Callable[[], float] = time.time, base: str = "http://google.test") -> None:
        super().__init__(clock)
        self.base = base
        self.objects: dict[str, tuple[int, bytes]] = {}
        self.attributes = {"hpc-project": PROJECT, "hpc-config": BUCKET}
        self.calls: Counter[str] = Counter()
        """Requests by action, also those within others; see ROUTES."""
        self.http: Counter[str] = Counter()
        """Calls by what they were for."""
        self.fail: dict[str, FaultError] = {}
        """Answer to all requests of an action."""
        self.on_request: Callable[[str, tuple[str, ...], bytes], None] = lambda action, names, body: None
        """May raise a FaultError."""
        self.page = 500
        self.token = 1
        """The number of the token that is good."""
        self._pages: dict[str, list[Any]] = {}
        self._tokens = count()
        self._lock = threading.RLock()

    def put(self, key: str, document: Any) -> None:
        """Put an object into the bucket."""
        self.objects[key] = self.objects.get(key, (0, b""))[0] + 1, json.dumps(document).encode()

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The answer to a request: status, headers, body."""
        with self._lock:
            try:
                self.http[self.purpose(method, url, body)] += 1
                action, names = self.action(method, urlsplit(url).path)
                if action not in ("token", "attribute") and headers.get("Authorization") != f"Bearer t-{self.token}":
                    raise FaultError("authError", "Invalid Credentials", 401)
                if action == "batch":
                    return self._batch(names[0], headers, body)
                return self._one(method, url, headers, body)
            except FaultError as fault:
                return _fault(fault)

    def purpose(self, method: str, url: str, body: bytes) -> str:
        """The action of a call, or of the requests in it."""
        try:
            action, _ = self.action(method, urlsplit(url).path)
        except FaultError:
            return ""
        if action != "batch":
            return action
        line = re.search(rb"^(GET|POST|DELETE) (\S+) HTTP/1.1", body, re.MULTILINE)
        return self.action(line[1].decode(), line[2].decode().partition("?")[0])[0] if line else action

    def action(self, method: str, path: str) -> tuple[str, tuple[str, ...]]:
        """The word under which a request is counted, and the names in its path."""
        found = _route(method, path)
        if found is None:
            raise FaultError("notFound", f"{method} {path}", 404)
        return found

    def _batch(self, version: str, headers: Mapping[str, str], body: bytes) -> Reply:
        boundary = headers["Content-Type"].partition("boundary=")[2].encode()
        parts = body.split(b"--" + boundary)[1:-1]
        if len(parts) > 1000:
            raise FaultError("badRequest", "The batch request has too many parts.")
        answers = []
        for part in parts:
            head, _, request = part.strip(b"\r\n").partition(b"\r\n\r\n")
            number = re.search(rb"Content-ID: <(\w+)>", head)
            first, _, rest = request.partition(b"\r\n")
            method, target, _ = first.decode().split(" ")
            if f"/compute/{version}/" not in target:
                raise FaultError("badRequest", "All requests of a batch must be of its version.")
            _, _, text = (b"\r\n" + rest).partition(b"\r\n\r\n")
            try:
                status, _, told = self._one(method, target, {}, text)
            except FaultError as fault:
                status, _, told = _fault(fault)
            answers.append(
                b"--answer\r\nContent-Type: application/http\r\nContent-ID: <response-%s>\r\n\r\nHTTP/1.1 %d X\r\n"
                b"Content-Type: application/json; charset=UTF-8\r\nContent-Length: %d\r\n\r\n%s\r\n"
                % (number[1] if number else b"", status, len(told), told)
            )
        answers.append(b"--answer--\r\n")
        return 200, {"content-type": "multipart/mixed; boundary=answer"}, b"".join(answers)

    def _one(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        parts = urlsplit(url)
        query = query_of(parts.query)
        action, names = self.action(method, parts.path)
        self.calls[action] += 1
        if action in self.fail:
            raise self.fail[action]
        self.on_request(action, names, body)
        return self._answer(action, names, query, body, parts.path)

    def _answer(self, action: str, names: Sequence[str], query: Mapping[str, str], body: bytes, path: str) -> Reply:
        now = self.clock()
        if action == "launch":
            return json_reply(self.insert(names[0], query["requestId"], json.loads(body)).document(now))
        if action == "terminate":
            return json_reply(self.delete(names[0], names[1], query["requestId"]).document(now))
        if action == "show machine":
            return json_reply(self.show(*names))
        if action in ("list", "list launch"):
            return self._list(names[0] if names else "", query)
        if action == "show operation":
            if names[1] not in self.operations:
                raise FaultError("notFound", "The operation was not found", 404)
            return json_reply(self.operations[names[1]].document(now))
        if action == "list operations":
            groups = set(re.findall(r'operationGroupId="([^"]+)"', query["filter"]))
            return json_reply(
                self._page(
                    lambda: [each.document(now) for each in self.operations.values() if each.group in groups], query
                )
            )
        if action == "make policy":
            document = json.loads(body)
            if "maxDistance" in document["groupPlacementPolicy"] and "/beta/" not in path:
                raise FaultError("invalid", "Unknown name 'maxDistance'")
            self.make_policy(names[0], document)
            return json_reply({"name": "operation-of-a-policy", "status": "RUNNING"})
        if action == "list policies":
            prefix = query["filter"].removeprefix('name eq "').removesuffix('.*"')
            return json_reply(self._page(lambda: self.list_policies(names[0], prefix), query))
        if action == "delete policy":
            self.delete_policy(*names)
            return json_reply({"name": "operation-of-a-policy", "status": "RUNNING"})
        return self._other(action, names, query)

    def _other(self, action: str, names: Sequence[str], query: Mapping[str, str]) -> Reply:
        if action == "token":
            return json_reply({"access_token": f"t-{self.token}", "expires_in": 3599, "token_type": "Bearer"})
        if action == "attribute":
            return (200, {}, self.attributes[names[0]].encode()) if names[0] in self.attributes else (404, {}, b"")
        if names[0] not in self.objects:
            raise FaultError("notFound", f"No such object: {names[0]}", 404)
        generation, text = self.objects[names[0]]
        if query.get("ifGenerationNotMatch") == str(generation):
            return 304, {}, b""
        return 200, {"x-goog-generation": str(generation)}, text

    def _list(self, zone: str, query: Mapping[str, str]) -> Reply:
        if "status" not in query.get("fields", ""):
            self.mistakes.append("a list of everything that is known of machines")
        labels = dict(re.findall(r'\(labels\.([\w-]+) = "([\w-]+)"\)', query["filter"]))
        page = self._page(lambda: self.listed(zone, labels), query)
        page["items"] = [show() for show in page["items"]]
        if not zone:
            scopes: dict[str, Any] = {"zones/nowhere-a": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}
            for each in page["items"]:
                where = f"zones/{each['zone'].rpartition('/')[2]}"
                scopes.setdefault(where, {"instances": []})["instances"].append(each)
            page["items"] = scopes
        return json_reply(page)

    def _page(self, items: Callable[[], list[Any]], query: Mapping[str, str]) -> dict[str, Any]:
        """A page of a list, which is as it was when its first page was asked for."""
        found = self._pages.pop(query["pageToken"]) if "pageToken" in query else items()
        page: dict[str, Any] = {"items": found[: self.page]}
        if len(found) > self.page:
            page["nextPageToken"] = token = f"page-{next(self._tokens)}"
            self._pages[token] = found[self.page :]
        return page


def _fault(fault: FaultError) -> Reply:
    return json_reply(fault.document(), fault.status)
