from calendar import timegm
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hpc_components.elastic.drivers.azure.arm import INSTANCES, Arm
from hpc_components.elastic.drivers.azure.errors import ArmError, Told
from hpc_components.elastic.drivers.azure.scale_sets import ScaleSet
from hpc_components.elastic.model import InstanceState

RUNNING = frozenset({"running"})
STOPPED = frozenset({"deallocated", "deallocating", "stopped", "stopping"})
"""Power states of a machine that shut itself down or was stopped. The host, or at least the disk, still costs money.
Source: Azure Virtual Machines, "States and billing status"."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    vm_id: str
    """Unique, permanent id, which identifies the machine throughout the driver."""
    instance: str
    """Id within the scale set. A later machine may get the same id. In a flexible scale set, the id is the machine's
    name."""
    made: float
    """Creation time, in seconds since the epoch."""
    provisioning: str
    """Provisioning state in lowercase, e.g. `creating`, `succeeded`, `failed` or `deleting`."""
    power: str
    """Power state, e.g. `running` or `stopped`. Empty if the machine never ran or its state is unknown."""
    failure: Told | None
    """Error code and message if the last change of the machine failed, otherwise None."""
    node: str = ""
    """Node name, read from the machine's tags. Empty in a scale set."""
    token: str = ""
    """Launch token, read from the machine's tags. Empty in a scale set."""

    @property
    def ready(self) -> bool:
        """Whether the machine has a host and is booting or has booted."""
        return self.provisioning == "succeeded" or (self.provisioning != "deleting" and self.power in RUNNING)

    @property
    def pending(self) -> bool:
        """Whether the machine has no host yet but may still get one."""
        return not self.ready and self.provisioning not in ("failed", "deleting", "canceled")

    @property
    def state(self) -> InstanceState:
        if self.provisioning == "deleting":
            return InstanceState.STOPPING
        return InstanceState.PENDING if self.provisioning == "creating" else InstanceState.RUNNING

    @property
    def failing(self) -> str:
        """Problem with the machine, described for operators. Empty if there is no problem.

        A running machine is not necessarily broken after a failed change, e.g. with OSProvisioningTimedOut.
        """
        if self.provisioning in ("creating", "deleting") or self.power in RUNNING:
            return ""
        if self.power in STOPPED:
            return f"Azure reports the machine as {self.power}"
        if self.provisioning == "failed":
            return f"Azure could not start the machine: {self.failure[0] if self.failure else 'no reason given'}"
        return ""


def read_machines(arm: Arm, scale_set: ScaleSet) -> list[Machine]:
    """Return all machines of a scale set, sorted by id, including those that are being deleted or have failed.

    The machines of a flexible scale set are listed through the API for ordinary machines, because only that list
    contains power states.
    """
    bucket = f"{INSTANCES}:{scale_set.name}"
    if scale_set.flexible:
        place = f"{scale_set.id.rpartition('/virtualMachineScaleSets/')[0]}/virtualMachines"
        chosen = {"$filter": f"'virtualMachineScaleSet/id' eq '{scale_set.id}'"}
    else:
        place, chosen = f"{scale_set.id}/virtualMachines", {}
    pages = arm.pages(place, bucket=bucket, **chosen, **{"$expand": "instanceView"})
    machines = {machine.vm_id: machine for machine in machines_in(pages)}  # a machine may be on two pages
    return sorted(machines.values(), key=lambda machine: (len(machine.instance), machine.instance))


def read_machine(arm: Arm, scale_set: ScaleSet, instance: str) -> Machine | None:
    if scale_set.flexible:
        place = f"{scale_set.id.rpartition('/virtualMachineScaleSets/')[0]}/virtualMachines/{instance}"
    else:
        place = f"{scale_set.id}/virtualMachines/{instance}"
    try:
        raw = arm.get(place, **{"$expand": "instanceView"}).document
    except ArmError as error:
        if error.status == 404:
            return None
        raise
    return next(machines_in([raw]), None)


def machine_id(scale_set: str, machine: Machine) -> str:
    """Return `<scale set>/<instance id>/<vmId>`, which is unique even if the instance id is reused."""
    return f"{scale_set}/{machine.instance}/{machine.vm_id}"


def parts_of(id: str) -> tuple[str, str, str]:
    """Split a `machine_id` into scale set, instance id and vmId. For any other string, some of the parts are
    empty.
    """
    scale_set, _, rest = id.partition("/")
    instance, _, vm_id = rest.partition("/")
    return scale_set, instance, vm_id


def machines_in(raw: Iterable[Mapping[str, Any]]) -> Iterator[Machine]:
    """Yield the machines in Azure's responses, except those that are too new to have a vmId."""
    for each in raw:
        properties, tags = each["properties"], each.get("tags") or {}
        if not properties.get("vmId"):
            continue
        power, failure = "", None
        for status in (properties.get("instanceView") or {}).get("statuses") or ():
            kind, _, rest = status["code"].partition("/")
            if kind == "PowerState":
                power = rest.lower()
            elif kind == "ProvisioningState" and rest.startswith("failed/"):
                failure = rest.removeprefix("failed/"), status.get("message") or ""
        yield Machine(
            vm_id=properties["vmId"],
            instance=each.get("instanceId") or each["name"],
            made=_epoch(properties.get("timeCreated") or ""),
            provisioning=(properties.get("provisioningState") or "").lower(),
            power=power,
            failure=failure,
            node=tags.get("hpc:node", ""),
            token=tags.get("hpc:token", ""),
        )


def _epoch(text: str) -> float:
    """Parse a time such as `2026-11-21T10:00:00.1234567+00:00`, or return 0 if the text is empty.

    Everything after the seconds is ignored, because the time is always UTC.
    """
    return float(timegm(datetime.fromisoformat(text[:19]).timetuple())) if text else 0.0
