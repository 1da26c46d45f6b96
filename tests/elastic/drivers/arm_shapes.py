"""What the stand-in for Azure keeps, and how Azure shows it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

NEVER = float("inf")


class AzureError(Exception):
    """An answer with an error code."""

    def __init__(self, code: str, message: str = "No.", status: int = 400, seconds: int = 0) -> None:
        super().__init__(message)
        self.code, self.message, self.status, self.seconds = code, message, status, seconds

    def document(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message}}


@dataclass(eq=False)
class Vm:
    """A machine of a scale set."""

    vm_id: str
    instance: str
    made: float
    ready: float = NEVER
    """When it has a host."""
    booted: float = NEVER
    """When its system has answered."""
    fails: float = NEVER
    """When it is known that it gets no host."""
    fault: AzureError | None = None
    ended: float | None = None
    """When it was deleted."""
    evicted: bool = False
    power: str = ""
    """Instead of `running`."""
    settled: bool = False
    """Whether nothing becomes of it any more."""
    late_fault: AzureError | None = None
    """A later change of it that failed, while it ran."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Of its own, beside those of its scale set."""

    def alive(self, now: float) -> bool:
        """Whether it costs money."""
        return self.ready <= now and self.ended is None and not self.evicted

    def provisioning(self, at: float) -> str:
        if self.ended is not None and self.ended <= at:
            return "Deleting"
        if self.fails <= at or self.late_fault:
            return "Failed"
        return "Succeeded" if self.booted <= at else "Creating"


@dataclass(eq=False)
class ScaleSet:
    """A scale set, or an availability set."""

    id: str
    name: str
    tags: dict[str, str]
    machine: str
    zone: str
    flexible: bool = False
    spot: bool = False
    named: bool = False
    """Whether it is an availability set."""
    links: tuple[tuple[str, str], ...] = ()
    """Actions on other resources that launching its machines needs."""
    made: float = 0.0
    """When it was made."""
    capacity: int = 0
    changes: int = 1
    """Counts for its ETag."""
    vms: list[Vm] = field(default_factory=list)
    history: list[tuple[float, int, int]] = field(default_factory=list)
    """When it got which capacity and ETag, for lists that are behind."""
    shown: int = 0
    """Times that it was shown; see `FakeArm.forgets_capacity`."""

    @property
    def etag(self) -> str:
        return f'"{self.changes}"'


@dataclass
class Operation:
    """A long-running operation."""

    scale_set: ScaleSet
    vms: tuple[Vm, ...] = ()
    """Those that it makes."""
    preempted: bool = False

    def ends(self) -> float:
        return max((min(vm.booted, vm.fails) for vm in self.vms if vm.ended is None), default=0.0)

    def document(self, now: float) -> dict[str, Any]:
        if self.preempted:
            fault = AzureError("OperationPreempted", "The operation has been preempted by a more recent operation.")
            return {"status": "Canceled", **fault.document()}
        if now < self.ends():
            return {"status": "InProgress"}
        faults = [vm.fault for vm in self.vms if vm.fault]
        if not faults:
            return {"status": "Succeeded"}
        outer = {"code": "VMScaleSetVMProvisioningError", "message": "See details.", "details": []}
        outer["details"] = [fault.document()["error"] for fault in faults[:1]]
        return {"status": "Failed", "error": outer}


def shown_deployment(name: str, operation: Operation, now: float) -> dict[str, Any]:
    """As Azure shows it: the error of a resource is JSON in the message of another one."""
    document, properties = operation.document(now), {"mode": "Incremental"}
    properties["provisioningState"] = {"InProgress": "Running"}.get(document["status"], document["status"])
    faults = [vm.fault for vm in operation.vms if vm.fault]
    if document["status"] == "Failed":
        inner = {"code": "Conflict", "message": json.dumps(faults[0].document())}
        outer = {"code": "DeploymentFailed", "message": "At least one resource operation failed.", "details": [inner]}
        properties["error"] = outer
    return {"name": name, "type": "Microsoft.Resources/deployments", "properties": properties}


def shown_set(scale_set: ScaleSet, capacity: int, changes: int, *, updating: bool) -> dict[str, Any]:
    """As Azure shows it, in what a driver may look at."""
    return {
        "id": scale_set.id,
        "name": scale_set.name,
        "type": "Microsoft.Compute/virtualMachineScaleSets",
        "location": "eastus",
        "tags": scale_set.tags,
        "zones": [scale_set.zone] if scale_set.zone else [],
        "sku": {"name": scale_set.machine, "tier": "Standard", "capacity": capacity},
        "etag": f'"{changes}"',
        "properties": {
            "provisioningState": "Updating" if updating else "Succeeded",
            "orchestrationMode": "Flexible" if scale_set.flexible else "Uniform",
            "singlePlacementGroup": not scale_set.flexible,
            "platformFaultDomainCount": 1,
            "virtualMachineProfile": {"priority": "Spot" if scale_set.spot else "Regular"},
            "timeCreated": _time(scale_set.made),
        },
    }


def shown_availability_set(group: ScaleSet) -> dict[str, Any]:
    """As Azure shows it, in what a driver may look at."""
    return {
        "id": group.id,
        "name": group.name,
        "type": "Microsoft.Compute/availabilitySets",
        "location": "eastus",
        "tags": group.tags,
        "sku": {"name": "Aligned"},
        "properties": {"platformFaultDomainCount": 1, "platformUpdateDomainCount": 1},
        "systemData": {"createdAt": _time(group.made)},
    }


@lru_cache(maxsize=4096)
def _time(seconds: float) -> str:
    """As Azure writes times."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.1234567+00:00")


def shown_vm(scale_set: ScaleSet, vm: Vm, at: float, *, view: bool = True) -> dict[str, Any]:
    """As Azure shows it, with the instance view if that was asked for."""
    state = vm.provisioning(at)
    fault = vm.late_fault or vm.fault
    if state == "Failed" and fault:
        statuses = [{"code": f"ProvisioningState/failed/{fault.code}", "level": "Error", "message": fault.message}]
    else:
        statuses = [{"code": f"ProvisioningState/{state.lower()}", "level": "Info", "displayStatus": state}]
    if vm.ready <= at:
        power = vm.power or "running"
        statuses.append({"code": f"PowerState/{power}", "level": "Info", "displayStatus": f"VM {power}"})
    own_name = scale_set.flexible or scale_set.named
    shown: dict[str, Any] = {
        "name": vm.instance if own_name else f"{scale_set.name}_{vm.instance}",
        "location": "eastus",
        "tags": {**scale_set.tags, **vm.tags},
        "properties": {
            "vmId": vm.vm_id,
            "provisioningState": state,
            "timeCreated": _time(vm.made),
            "hardwareProfile": {"vmSize": scale_set.machine},
            "storageProfile": {"osDisk": {"osType": "Linux", "diskSizeGB": 64, "createOption": "FromImage"}},
            "osProfile": {"computerName": f"node{vm.instance[-6:]:0>6}", "adminUsername": "azureuser"},
            "networkProfile": {"networkInterfaces": [{"id": f"{scale_set.id}/networkInterfaces/{vm.instance}"}]},
            "instanceView": {"statuses": statuses, "placementGroupId": "one"},
        },
    }
    if not view:
        del shown["properties"]["instanceView"]
    if scale_set.named:
        shown["properties"]["availabilitySet"] = {"id": scale_set.id.upper()}
    if not own_name:
        shown |= {"instanceId": vm.instance, "sku": {"name": scale_set.machine, "tier": "Standard"}}
    return shown


def lags(history: list[tuple[float, int, int]], at: float) -> tuple[int, int]:
    """Capacity and changes as they were then."""
    return next(((capacity, changes) for since, capacity, changes in reversed(history) if since <= at), (0, 1))


def tags_of(cluster: str, queue: str, machine: str, zone: str, purchase: str, config: str) -> Mapping[str, str]:
    """As `InfinibandComputeFleet` tags its scale sets."""
    return {
        "Name": f"{cluster}-{queue}", "ClusterName": cluster, "hpc:role": "compute", "hpc:config": config,
        "hpc:queue": queue, "hpc:machine": machine, "hpc:zone": zone, "hpc:purchase": purchase,
    }  # fmt: skip
