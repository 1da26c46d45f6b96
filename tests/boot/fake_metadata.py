"""Compute Engine's metadata server, with the tokens that it gives to a machine's service account."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .gcp_rights import ACCOUNTS, PROJECT

SCOPE = "https://www.googleapis.com/auth/cloud-platform"


@dataclass(frozen=True)
class GcpMachine:
    """A machine."""

    attributes: Mapping[str, str]
    """Its custom metadata."""
    account: str = ACCOUNTS["compute"]
    name: str = "lab-debug-9"
    id: int = 4520031799277581759
    address: str = "10.0.0.1"
    zone: str = "us-central1-a"
    cards: tuple[str, ...] = ()
    """Addresses (MAC) of its network cards after the first."""

    def document(self) -> dict[str, Any]:
        """What the server says of it, except the token."""
        cards = [
            {"ip": self.address, "mac": "42:01:0a:00:00:01"},
            *({"ip": "10.1.0.2", "mac": c} for c in self.cards),
        ]
        account = {"aliases": ["default"], "email": self.account, "scopes": [SCOPE]}
        return {
            "attributes": dict(self.attributes),
            "hostname": f"{self.name}.c.{PROJECT}.internal",
            "id": self.id,
            "maintenanceEvent": "NONE",
            "name": self.name,
            "networkInterfaces": cards,
            "preempted": "FALSE",
            "serviceAccounts": {"default": account, self.account: account},
            "zone": f"projects/123456789012/zones/{self.zone}",
        }


@dataclass
class FakeMetadata:
    """As strict about its header as the real one."""

    machines: dict[str, GcpMachine] = field(default_factory=dict)
    """By the address that asks; what is under "" is everybody else."""
    tokens: dict[str, str] = field(default_factory=dict)
    """Email of the account of each token that was given."""

    def answer(
        self, asker: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> tuple[int, str, str]:
        """Status, kind and body of a GET below `/computeMetadata/v1/`."""
        machine = self.machines.get(asker) or self.machines.get("")
        if headers.get("Metadata-Flavor") != "Google" or "X-Forwarded-For" in headers:
            return 403, "text/html", "Missing Metadata-Flavor:Google header."
        if machine is None:
            return 404, "text/html", ""
        if path == "project/project-id":
            return 200, "application/text", PROJECT
        if path in ("instance/service-accounts/default/token", f"instance/service-accounts/{machine.account}/token"):
            given = {"access_token": self.token(machine.account), "expires_in": 3599, "token_type": "Bearer"}
            return 200, "application/json", json.dumps(given)
        return _found(machine.document(), path, query)

    def token(self, account: str) -> str:
        """A new token of an account."""
        text = f"ya29.secret-{uuid.uuid4()}"
        self.tokens[text] = account
        return text


def _found(instance: Mapping[str, Any], path: str, query: Mapping[str, str]) -> tuple[int, str, str]:
    """A leaf as text, all below a directory as JSON. Names in paths are written with hyphens."""
    kind, *keys = path.rstrip("/").split("/")
    found: Any = instance
    for key in keys:
        first, *others = key.split("-")
        camel = first + "".join(each.title() for each in others)
        if isinstance(found, list):
            found = found[int(key)] if int(key) < len(found) else None
        else:
            found = found.get(key, found.get(camel)) if isinstance(found, dict) else None
    if kind != "instance" or found is None:
        return 404, "text/html", "Not Found"
    if isinstance(found, dict | list) or query.get("alt") == "json":
        whole = isinstance(found, str | int) or query.get("recursive") == "true"
        return (200, "application/json", json.dumps(found)) if whole else (404, "text/html", "a directory")
    return 200, "application/text", str(found)
