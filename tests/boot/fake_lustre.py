"""Managed Lustre's API, as far as the head node asks it."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .fake_secrets import FakeSecrets


@dataclass
class FakeLustre:
    """File systems that take one transfer at a time. Source: Managed Lustre REST API v1."""

    instances: dict[str, dict[str, str]] = field(default_factory=dict)
    """By name, `projects/<project>/locations/<zone>/instances/<id>`; each with `mountPoint` and `createTime`."""
    transfers: list[tuple[str, str, str]] = field(default_factory=list)
    """Verb, name of the instance and URI of each."""
    busy: int = 0
    """How many requests are answered with another transfer's being under way."""
    failing: dict[str, str] = field(default_factory=dict)
    """Why the transfer of a URI fails in the end."""
    polls: Callable[[], bool] = lambda: True
    """Asked whether an operation is done."""

    def answer(self, method: str, path: str, body: bytes) -> tuple[str, int, bytes]:
        """The permission that it takes, status and body."""
        if method == "GET" and path.endswith("/instances"):
            found = [
                {"name": n, **each}
                for n, each in self.instances.items()
                if n.startswith(f"{path.removeprefix('/v1/')}/")
            ]
            return "lustre.instances.list", 200, json.dumps({"instances": found} if found else {}).encode()
        if match := re.fullmatch(r"/v1/(projects/.+/instances/[^/:]+):(import|export)Data", path):
            return f"lustre.instances.{match[2]}Data", *self._begin(match[2], match[1], json.loads(body))
        return "lustre.operations.get", 200, json.dumps(self._operation(int(path.rpartition("-")[2]))).encode()

    def _begin(self, verb: str, name: str, asked: dict[str, Any]) -> tuple[int, bytes]:
        uri = asked["gcsPath"]["uri"]
        if not uri.endswith("/"):
            return FakeSecrets.error(400, "INVALID_ARGUMENT", "the path must end with a forward slash")
        if self.busy:
            self.busy -= 1
            return FakeSecrets.error(409, "ABORTED", "unable to queue the operation")
        self.transfers.append((verb, name, uri))
        return 200, json.dumps({"name": self._name(len(self.transfers) - 1), "done": False}).encode()

    def _operation(self, number: int) -> dict[str, Any]:
        if not self.polls():
            return {"name": self._name(number)}
        why = self.failing.get(self.transfers[number][2])
        return {"name": self._name(number), "done": True} | ({"error": {"code": 7, "message": why}} if why else {})

    @staticmethod
    def _name(number: int) -> str:
        return f"projects/acme-hpc/locations/us-central1-a/operations/operation-{number}"
