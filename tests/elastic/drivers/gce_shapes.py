"""What the stand-in for Compute Engine is made of, and how Google writes it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

PROJECT = "acme-hpc"
ROOT = f"https://www.googleapis.com/compute/v1/projects/{PROJECT}"
NEVER = float("inf")
PST = timezone(timedelta(hours=-8))


class FaultError(Exception):
    """An answer that is an error: reason, message, status of HTTP."""

    def __init__(self, reason: str, message: str = "No.", status: int = 400) -> None:
        super().__init__(reason)
        self.reason, self.message, self.status = reason, message, status

    def document(self) -> dict[str, Any]:
        errors = [{"message": self.message, "domain": "global", "reason": self.reason}]
        return {"error": {"code": self.status, "message": self.message, "errors": errors}}


@dataclass
class Template:
    machine: str
    labels: dict[str, str]
    model: str = "STANDARD"


@dataclass(eq=False)
class Vm:
    name: str
    number: str
    zone: str
    template: Template
    labels: dict[str, str]
    policies: list[str]
    made: float
    booted: float
    ended: float = NEVER
    """When its deletion began."""
    gone: float = NEVER
    preempted: bool = False
    power: str = ""
    """A status that it has instead of RUNNING."""
    address: str = "10.20.128.9"

    def there(self, at: float) -> bool:
        return self.made <= at < self.gone

    def alive(self, at: float) -> bool:
        """Whether it costs money for good."""
        return self.there(at) and self.ended > at

    def status(self, at: float) -> str:
        if self.ended <= at:
            return "STOPPING"
        return self.power or ("RUNNING" if self.booted <= at else "STAGING")

    def document(self, at: float) -> dict[str, Any]:
        zone = f"{ROOT}/zones/{self.zone}"
        scheduling = {"provisioningModel": self.template.model}
        if self.template.model != "STANDARD":
            scheduling["instanceTerminationAction"] = "DELETE"
        return {
            "id": self.number, "name": self.name, "zone": zone, "status": self.status(at),
            "creationTimestamp": stamp(self.made), "machineType": f"{zone}/machineTypes/{self.template.machine}",
            "labels": self.labels, "scheduling": scheduling,
            "networkInterfaces": [{"name": "nic0", "networkIP": self.address}],
            "resourcePolicies": [f"{ROOT}/{each.removeprefix(f'projects/{PROJECT}/')}" for each in self.policies],
        }  # fmt: skip


@dataclass
class Policy:
    name: str
    description: str
    group: dict[str, Any]
    ready: float
    gone: float = NEVER

    def document(self, now: float) -> dict[str, Any]:
        status = "DELETING" if self.gone != NEVER else "READY" if self.ready <= now else "CREATING"
        return {
            "name": self.name, "description": self.description, "status": status, "groupPlacementPolicy": self.group,
        }  # fmt: skip


@dataclass
class Operation:
    name: str
    kind: str
    zone: str
    done: float
    group: str = ""
    target: str = ""
    number: str = ""
    errors: list[tuple[str, str]] = field(default_factory=list)
    request: str = ""

    def document(self, now: float) -> dict[str, Any]:
        done = self.done <= now
        document: dict[str, Any] = {
            "kind": "compute#operation", "name": self.name, "operationType": self.kind,
            "zone": f"{ROOT}/zones/{self.zone}", "status": "DONE" if done else "RUNNING",
            "targetLink": f"{ROOT}/zones/{self.zone}/instances/{self.target}",
        }  # fmt: skip
        if self.group:
            document["operationGroupId"] = self.group
        if self.number:
            document["targetId"] = self.number
        if self.request:
            document["clientOperationId"] = self.request
        if done and self.errors:
            document["error"] = {"errors": [{"code": code, "message": words} for code, words in self.errors]}
        return document


def stamp(at: float) -> str:
    """As Google writes times: `2026-11-22T02:03:04.567-08:00`."""
    return datetime.fromtimestamp(at, PST).isoformat(timespec="milliseconds")
