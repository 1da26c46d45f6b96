"""Secret Manager: secrets with all their versions."""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class FakeSecrets:
    """As far as nodes ask it, and as inconsistent as it may be. Source: Secret Manager, "Resource consistency"."""

    project: str
    secrets: dict[str, list[bytes | None]] = field(default_factory=dict)
    """Values of the versions 1, 2, ...; None for one that somebody has disabled."""
    known: dict[str, int] = field(default_factory=dict)
    """How many versions the alias `latest` knows of, where it does not know of all."""
    adds: Callable[[str], None] = lambda name: None
    """Called before a version is added."""

    def access(self, name: str, version: str) -> tuple[int, bytes]:
        """A version's value; `version` is a number or `latest`."""
        versions = self.secrets.get(name, [])
        if version == "latest":
            number = min(self.known.get(name, len(versions)), len(versions))
            if not number:
                return self.error(404, "NOT_FOUND", f"Secret [{name}] not found or has no versions.")
        else:
            number = int(version)
        at = f"projects/123456789012/secrets/{name}/versions/{number}"
        if not 1 <= number <= len(versions):
            return self.error(404, "NOT_FOUND", f"Secret Version [{at}] not found.")
        value = versions[number - 1]
        if value is None:
            return self.error(400, "FAILED_PRECONDITION", f"Secret Version [{at}] is in DISABLED state.")
        payload = {"data": base64.b64encode(value).decode()} if value else {}
        return 200, json.dumps({"name": at, "payload": payload}).encode()

    def add(self, name: str, body: bytes) -> tuple[int, bytes]:
        """A new version."""
        self.adds(name)
        if name not in self.secrets:
            return self.error(404, "NOT_FOUND", f"Secret [projects/{self.project}/secrets/{name}] not found.")
        value = base64.b64decode(json.loads(body)["payload"]["data"], validate=True)
        if len(value) > 65_536:
            return self.error(400, "INVALID_ARGUMENT", "The payload is larger than 65536 bytes.")
        self.secrets[name].append(value)
        at = f"projects/123456789012/secrets/{name}/versions/{len(self.secrets[name])}"
        return 200, json.dumps({"name": at, "state": "ENABLED"}).encode()

    @staticmethod
    def error(status: int, code: str, message: str) -> tuple[int, bytes]:
        """As Google's services word it."""
        return status, json.dumps({"error": {"code": status, "message": message, "status": code}}).encode()
