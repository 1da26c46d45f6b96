"""A Key Vault: secrets with all their versions."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PAGE = 2
"""Versions in a page of a list."""

UNSET = "hpc/unset"
"""Content type of the version that `pulumi up` makes."""


@dataclass(frozen=True)
class Version:
    """A version of a secret."""

    id: str
    value: str
    content_type: str
    created: int
    enabled: bool = True


@dataclass
class FakeVault:
    """As far as nodes ask it. Source: Key Vault REST API 7.4."""

    clock: Callable[[], float]
    secrets: dict[str, list[Version]] = field(default_factory=dict)
    """In the order in which they were made."""
    puts: Callable[[str], None] = lambda name: None
    """Called before a version is made."""

    def make(self, name: str) -> None:
        """As `pulumi up` makes one: a first version, which is no value."""
        self.secrets[name] = []
        self.put(name, "unset", UNSET)

    def put(self, name: str, value: str, content_type: str, id: str = "") -> Version:
        """A new version."""
        number = len(self.secrets[name])
        # ids are random: the second version's comes before the first one's
        made = Version(id or f"{0xF0 - number:032x}", value, content_type, int(self.clock()))
        self.secrets[name].append(made)
        return made

    def answer(self, method: str, base: str, path: str, query: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        """Status and body; `path` is `<name>`, `<name>/<version>` or `<name>/versions`."""
        name, _, rest = path.partition("/")
        if query.get("api-version") != "7.4":
            return 400, b""
        if method == "PUT":
            self.puts(name)
        if name not in self.secrets:
            return 404, self.error(
                "SecretNotFound", f"A secret with (name/id) {name} was not found in this key vault."
            )
        versions = self.secrets[name]
        if method == "PUT":
            asked = json.loads(body)
            if len(asked["value"]) > 25_000:
                return 400, self.error("BadParameter", "The specified value is too long")
            return self._shown(base, name, self.put(name, asked["value"], asked.get("contentType", "")))
        if rest == "versions":
            return self._listed(base, name, int(query.get("$skiptoken", "0")))
        found = [each for each in versions if each.id == rest] if rest else versions[-1:]
        return self._shown(base, name, found[0]) if found else (404, self.error("SecretNotFound", "no such version"))

    def _shown(self, base: str, name: str, version: Version) -> tuple[int, bytes]:
        if not version.enabled:
            return 403, self.error("Forbidden", "Operation get is not allowed on a disabled secret.")
        return 200, json.dumps({**self._item(base, name, version), "value": version.value}).encode()

    def _listed(self, base: str, name: str, begin: int) -> tuple[int, bytes]:
        versions = self.secrets[name][begin : begin + PAGE]
        more = begin + PAGE < len(self.secrets[name])
        link = f"{base}/secrets/{name}/versions?api-version=7.4&$skiptoken={begin + PAGE}" if more else None
        return 200, json.dumps(
            {"value": [self._item(base, name, each) for each in versions], "nextLink": link}
        ).encode()

    @staticmethod
    def _item(base: str, name: str, version: Version) -> dict[str, Any]:
        times = {"enabled": version.enabled, "created": version.created, "updated": version.created}
        item = {"id": f"{base}/secrets/{name}/{version.id}", "attributes": times}
        return {**item, "contentType": version.content_type} if version.content_type else item

    @staticmethod
    def error(code: str, message: str) -> bytes:
        """As the service words it."""
        return json.dumps({"error": {"code": code, "message": message}}).encode()
