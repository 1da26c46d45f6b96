"""The machines of a scale set, as Azure lists them."""

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
"""Power states of a machine that shut itself down or was stopped. Its host, or at least its disk, still costs money.
Source: Azure Virtual Machines, "States and billing status".
"""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine of a scale set or of an availability set."""

    vm_id: str
    """Unique and permanent id, which is the key for everything known about the machine."""
    instance: str
    """Id within the scale set, which a later machine may reuse. In a flexible scale set, this is the machine's
    name."""
    made: float
    """Creation time, in seconds since the epoch."""
    provisioning: str
    """Provisioning state in lowercase, e.g. `creating`, `succeeded`, `failed` or `deleting`."""
    power: str
    """Power state, e.g. `running` or `stopped`. Empty if the machine never ran, or if the state is unknown."""
    failure: Told | None
    """Reason why its last change failed, or None."""
    node: str = ""
    """Node name, from the tags of a machine in an availability set."""
    token: str = ""
    """Launch token, from the tags of a machine in an availability set."""

    @property
    def ready(self) -> bool:
        """Whether the machine has a host, and is booting or has booted."""
        return self.provisioning == "succeeded" or (self.provisioning != "deleting" and self.power in RUNNING)

    @property
    def pending(self) -> bool:
        """Whether the machine may still get a host, but has none yet."""
        return not self.ready and self.provisioning not in ("failed", "deleting", "canceled")

    @property
    def state(self) -> InstanceState:
        """The cloud-neutral state of this machine."""
        if self.provisioning == "deleting":
            return InstanceState.STOPPING
        return InstanceState.PENDING if self.provisioning == "creating" else InstanceState.RUNNING

    @property
    def failing(self) -> str:
        """What is wrong with the machine, for operators; empty if nothing is.

        A running machine is not necessarily broken if a change has failed, e.g. with OSProvisioningTimedOut.
        """
        if self.provisioning in ("creating", "deleting") or self.power in RUNNING:
            return ""
        if self.power in STOPPED:
            return f"Azure reports it as {self.power}"
        if self.provisioning == "failed":
            return f"Azure could not start it: {self.failure[0] if self.failure else 'no reason given'}"
        return ""


def read_machines(arm: Arm, scale_set: ScaleSet) -> list[Machine]:
    """Return all machines of a scale set sorted by id, including those that are being deleted or have failed.

    A flexible scale set's machines are listed through the API for ordinary machines, because only that list contains
    their power states.
    """
    bucket = f"{INSTANCES}:{scale_set.name}"
    if scale_set.flexible:
        place = f"{scale_set.id.rpartition('/virtualMachineScaleSets/')[0]}/virtualMachines"
        chosen = {"$filter": f"'virtualMachineScaleSet/id' eq '{scale_set.id}'"}
    else:
        place, chosen = f"{scale_set.id}/virtualMachines", {}
    pages = arm.pages(place, bucket=bucket, **chosen, **{"$expand": "instanceView"})
    machines = {machine.vm_id: machine for machine in machines_in(pages)}  # two pages may contain the same machine
    return sorted(machines.values(), key=lambda machine: (len(machine.instance), machine.instance))


def read_machine(arm: Arm, scale_set: ScaleSet, instance: str) -> Machine | None:
    """Return the machine that currently has this id, or None if it does not exist."""
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
    """Return `<scale set>/<id in it>/<vmId>`, which identifies exactly this machine for a deletion."""
    return f"{scale_set}/{machine.instance}/{machine.vm_id}"


def parts_of(id: str) -> tuple[str, str, str]:
    """Split the result of `machine_id` into scale set, id in it and vmId. Some parts are empty for any other id."""
    scale_set, _, rest = id.partition("/")
    instance, _, vm_id = rest.partition("/")
    return scale_set, instance, vm_id


def machines_in(raw: Iterable[Mapping[str, Any]]) -> Iterator[Machine]:
    """Yield machines from Azure's representation, except those so new that they have no vmId yet."""
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

    The time is always UTC, and has more digits than Python accepts.
    """
    return float(timegm(datetime.fromisoformat(text[:19]).timetuple())) if text else 0.0
