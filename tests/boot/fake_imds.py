"""Azure's instance metadata service, with the tokens that it gives to a machine's identities."""

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STORAGE = "https://storage.azure.com/"


@dataclass(frozen=True)
class Vm:
    """A machine."""

    tags: Mapping[str, str]
    id: str = "02aab8a4-74ef-476e-8182-f6d2ba4166a6"
    address: str = "10.0.0.1"
    scale_set: str = ""
    environment: str = "AzurePublicCloud"
    lacks: frozenset[str] = frozenset()
    """Client ids of identities in its tags that it does not have yet."""

    @property
    def identities(self) -> set[str]:
        """Client ids of those that it has: its own and that which it lends."""
        return {self.tags[key] for key in ("hpc:identity", "hpc:data-identity") if key in self.tags} - self.lacks

    def document(self) -> dict[str, Any]:
        """What the service says of it."""
        tags = [{"name": key, "value": value} for key, value in self.tags.items()]
        addresses = [{"privateIpAddress": self.address, "publicIpAddress": ""}]
        compute = {
            "azEnvironment": self.environment,
            "location": "eastus",
            "name": f"{self.scale_set}_7" if self.scale_set else "vm",
            "tagsList": tags,
            "vmId": self.id,
            "vmScaleSetName": self.scale_set,
        }
        return {"compute": compute, "network": {"interface": [{"ipv4": {"ipAddress": addresses}}]}}


@dataclass(frozen=True)
class Token:
    """What a token says."""

    client: str
    """Client id of its identity."""
    resource: str
    """What it is for."""


@dataclass
class FakeImds:
    """As strict about headers and identities as the real one."""

    machines: dict[str, Vm] = field(default_factory=dict)
    """By the address that asks; what is under "" is everybody else."""
    tokens: dict[str, Token] = field(default_factory=dict)
    """All that were given."""

    def answer(
        self, asker: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Status and body of a GET below `/metadata`."""
        machine = self.machines.get(asker) or self.machines.get("")
        if machine is None:
            return 404, b""
        if headers.get("Metadata") != "true" or "X-Forwarded-For" in headers or "api-version" not in query:
            return 400, b'{"error": "Bad request. Required metadata header not specified"}'
        if path == "scheduledevents":
            return 200, b'{"DocumentIncarnation": 0, "Events": []}'
        if path == "identity/oauth2/token":
            return self._token(machine, query)
        found: Any = machine.document()
        kind, *keys = path.split("/")
        for key in keys:
            found = found.get(key, {})
        return (200, json.dumps(found).encode()) if kind == "instance" and found else (404, b"")

    def _token(self, machine: Vm, query: Mapping[str, str]) -> tuple[int, bytes]:
        client = query.get("client_id", "")
        if client not in machine.identities:
            told = {"error": "invalid_request", "error_description": "Identity not found"}
            return 400, json.dumps(told).encode()
        text = f"eyJ-secret-{uuid.uuid4()}"
        self.tokens[text] = Token(client, query["resource"])
        given = {
            "access_token": text,
            "client_id": client,
            "expires_in": "86399",
            "expires_on": str(int(time.time()) + 86399),
            "resource": query["resource"],
            "token_type": "Bearer",
        }
        return 200, json.dumps(given).encode()
