"""The toy cloud itself: what answers at its one address."""

import json
import threading
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any

from serving import HttpServer, serving

from clouds.toy.drivers.toy.limits import LIMITS


@dataclass
class FakeToy:
    """All that it holds, and what tests turn."""

    metadata: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, bytes | None] = field(default_factory=dict)
    """By `<cluster>/<name>`; None is one without a value."""
    objects: dict[str, bytes] = field(default_factory=dict)
    """By `<bucket>/<name>`."""
    logs: list[bytes] = field(default_factory=list)
    machines: dict[str, dict[str, Any]] = field(default_factory=dict)
    login_nodes: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Those that run, each with its cluster's config bucket."""
    pools: list[dict[str, Any]] = field(default_factory=list)
    """Those with a template."""
    left: dict[str, int] = field(default_factory=dict)
    """Machines that a type has left."""
    calls: Counter[str] = field(default_factory=Counter)
    lose: set[str] = field(default_factory=set)
    """Calls whose next answer gets lost."""
    throttled: bool = False
    throttled_ends: set[str] = field(default_factory=set)
    """Machines of which each end is answered with "too often"."""
    protected: set[str] = field(default_factory=set)
    """Machines that it refuses to end."""
    omitted: Collection[str] = ()
    unknown: dict[str, float] = field(default_factory=dict)
    """Since when machines are not known by their ids, although they are there."""
    now: float = 1_790_000_000.0
    boot_seconds: float = 0.0
    stop_seconds: float = 0.0
    lag_seconds: float = 0.0

    def answer(self, method: str, path: str, body: bytes, *, only_new: bool) -> tuple[int, bytes]:
        """Status and content."""
        kind, _, name = path.strip("/").partition("/")
        if kind == "machines":
            return self._machines(name, json.loads(body))
        if kind == "metadata":
            return (200, self.metadata[name].encode()) if name in self.metadata else (404, b"")
        if kind == "list":
            names = [each.removeprefix(f"{name}/") for each in self.objects if each.startswith(f"{name}/")]
            return 200, "".join(f"{each}\n" for each in names).encode()
        if kind == "buckets" and method == "PUT":
            if self.metadata["label/hpc_role"] != "head":
                return 403, b""
            self.objects[name] = body
            return 200, b""
        if kind == "buckets":
            return (200, self.objects[name]) if name in self.objects else (404, b"")
        if kind == "logs" and method == "PUT":
            self.logs.append(body)
            return 200, b""
        if kind == "secrets" and name in self.secrets:
            return self._secret(name, body if method == "PUT" else None, only_new=only_new)
        return 404, b""

    def _secret(self, name: str, new: bytes | None, *, only_new: bool) -> tuple[int, bytes]:
        there = self.secrets[name]
        if new is None:
            return (410, b"") if there is None else (200, there)
        if only_new and there is not None:
            return 412, b""
        self.secrets[name] = new
        return 200, b""

    def _machines(self, call: str, asked: dict[str, Any]) -> tuple[int, bytes]:
        self.calls[call] += 1
        if self.throttled and call in ("launch", "terminate"):
            return 429, json.dumps(f"{call}: too often").encode()
        status, said = getattr(self, f"_{call}")(asked)
        return status, json.dumps(said).encode()

    def _launch(self, asked: dict[str, Any]) -> tuple[int, Any]:
        launch = asked["launch"]
        pool, there = launch["pool"], self._of_token(launch["token"])
        if pool not in self.pools:
            return 422, f"no template for {pool['machine']} in {pool['zone']}; `pulumi up` makes it"
        if there:
            return 200, [self._shown(each) for each in there]
        left = self.left.get(pool["machine"], len(launch["nodes"]))
        if left < launch["minimum"]:
            return 409, f"{pool['zone']} has {left} machines {pool['machine']}"
        for node in launch["nodes"][:left]:
            id = f"toy-{next(_NUMBERS)}"
            self.machines[id] = {
                "id": id, "node": node, "token": launch["token"], "pool": pool, "launched": self.now, "ended": None,
            }  # fmt: skip
        return 200, [self._shown(each) for each in self._of_token(launch["token"])]

    def _terminate(self, asked: dict[str, Any]) -> tuple[int, Any]:
        """Answer with status and words for each machine that is not ended."""
        failures = {id: failure for id in asked["ids"] if id in self.machines and (failure := self._end(id))}
        return 200, failures

    def _end(self, id: str) -> tuple[int, str] | None:
        machine = self.machines[id]
        if id in self.throttled_ends:
            return 429, f"{id}: too often"
        if id in self.protected:
            return 422, f"{id} is protected"
        if self._is_new(machine) or self.now - self.unknown.get(id, 0.0) < LIMITS.list_lag_seconds:
            return 503, f"{id}: not known everywhere yet"
        if machine["ended"] is None:
            machine["ended"] = self.now
        return None

    def _list(self, asked: dict[str, Any]) -> tuple[int, Any]:
        found = [each for each in self.machines.values() if not self._is_new(each)]
        return 200, [self._shown(each) for each in found if each["id"] not in {*self.omitted, *self.unknown}]

    def _login(self, asked: dict[str, Any]) -> tuple[int, Any]:
        return 200, [node for config, node in self.login_nodes if config == asked["config"]]

    def _find(self, asked: dict[str, Any]) -> tuple[int, Any]:
        asked_for = set(asked["ids"]) - self.unknown.keys()
        known = [each for each in self.machines.values() if each["id"] in asked_for and not self._is_new(each)]
        found = known + [each for token in asked["tokens"] for each in self._of_token(token)]
        return 200, [self._shown(each) for each in {each["id"]: each for each in found}.values()]

    def _of_token(self, token: str) -> list[dict[str, Any]]:
        return [each for each in self.machines.values() if each["token"] == token]

    def _is_new(self, machine: dict[str, Any]) -> bool:
        return self.now - machine["launched"] < self.lag_seconds

    def _shown(self, machine: dict[str, Any]) -> dict[str, Any]:
        ended = machine["ended"]
        if ended is not None:
            state = "stopping" if self.now - ended < self.stop_seconds else "gone"
        else:
            state = "pending" if self.now - machine["launched"] < self.boot_seconds else "running"
        return {key: value for key, value in machine.items() if key != "ended"} | {"state": state}


_NUMBERS = count(1)


@contextmanager
def served(toy: FakeToy) -> Iterator[str]:
    """The address at which it answers."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            only_new = "If-None-Match" in self.headers
            with lock:
                status, content = toy.answer(self.command, self.path, body, only_new=only_new)
                call = self.path.rpartition("/")[2]
                is_lost = call in toy.lose
                toy.lose.discard(call)
            if is_lost:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_PUT = do_POST = do_GET  # noqa: N815 - http.server's names

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with serving(HttpServer(("127.0.0.1", 0), Handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"
