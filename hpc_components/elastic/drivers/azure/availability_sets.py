"""Finds a cluster's availability sets by their tags. There is one per queue and machine type."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.azure.arm import INSTANCES, SETS, Arm
from hpc_components.elastic.drivers.azure.errors import ArmError
from hpc_components.elastic.drivers.azure.machines import Machine, machines_in
from hpc_components.elastic.drivers.azure.scale_sets import pool_of, tagged
from hpc_components.elastic.model import Pool


@dataclass(frozen=True, kw_only=True)
class AvailabilitySet:
    """An availability set. Unlike a scale set, it does not describe its machines; a template does."""

    id: str
    """Resource id, e.g. `/subscriptions/.../availabilitySets/<name>`."""
    name: str
    pool: Pool
    template: str
    """Id of the template spec version that creates the set's machines, or empty if the tag is missing."""
    made: str = ""
    """Creation time in Azure's format. Shows which set is the newest, because changing a queue creates a new set in
    addition to the old one."""

    @property
    def machines(self) -> str:
        """Resource id of the virtual machines in the set's resource group."""
        return f"{self.group}/providers/Microsoft.Compute/virtualMachines"

    @property
    def group(self) -> str:
        """Id of the set's resource group."""
        return self.id.partition("/providers/")[0]


def read_availability_sets(arm: Arm, group: str, cluster: str, config: str) -> Iterator[AvailabilitySet]:
    """Yield the availability sets in a resource group that are tagged with the cluster's name and config bucket.
    `group` is the resource group's id.
    """
    place = f"{group}/providers/Microsoft.Compute/availabilitySets"
    for raw in tagged(arm.pages(place, bucket=SETS), cluster, config, role="compute"):
        template, made = raw["tags"].get("hpc:template", ""), (raw.get("systemData") or {}).get("createdAt", "")
        yield AvailabilitySet(id=raw["id"], name=raw["name"], pool=pool_of(raw), template=template, made=made)


def read_members(arm: Arm, group: AvailabilitySet) -> list[Machine]:
    """Return all machines of an availability set, sorted by name. Power states and failure reasons are missing;
    `read_member` returns them.

    Azure includes power states only in lists of a scale set's machines. This call lists the machines of a whole
    resource group instead. Source: REST API reference, Virtual Machines - List, `$expand` and `$filter`.
    """
    pages = arm.pages(group.machines, bucket=f"{INSTANCES}:{group.name}")
    ours = (each for each in pages if _set_of(each) == group.id.lower())
    machines = {machine.vm_id: machine for machine in machines_in(ours)}  # two pages may contain the same machine
    return sorted(machines.values(), key=lambda machine: (len(machine.instance), machine.instance))


def read_member(arm: Arm, group: AvailabilitySet, name: str) -> Machine | None:
    """Return a machine with its power state and any failure reason, or None if the machine does not exist."""
    try:
        raw = arm.get(f"{group.machines}/{name}", **{"$expand": "instanceView"}).document
    except ArmError as error:
        if error.status == 404:
            return None
        raise
    return next(machines_in([raw]), None)


def _set_of(raw: Mapping[str, Any]) -> str:
    """Return the id of the machine's set in lowercase, because Azure sometimes capitalizes ids."""
    return ((raw["properties"].get("availabilitySet") or {}).get("id") or "").lower()
