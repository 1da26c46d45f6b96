"""The availability sets of a cluster, one for each queue and machine type, found by their tags."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.elastic.drivers.azure.arm import INSTANCES, SETS, Arm
from hpc_components.elastic.drivers.azure.errors import ArmError
from hpc_components.elastic.drivers.azure.machines import Machine, machines_in
from hpc_components.elastic.drivers.azure.scale_sets import pool_of, tagged
from hpc_components.elastic.model import Pool

__all__ = ["AvailabilitySet", "read_availability_sets", "read_member", "read_members"]


@dataclass(frozen=True, kw_only=True)
class AvailabilitySet:
    """An availability set. What its machines are made of is not in it, as it is in a scale set, but in a template."""

    id: str
    """`/subscriptions/.../availabilitySets/<name>`."""
    name: str
    """Its name."""
    pool: Pool
    """What its machines are, by its tags."""
    template: str
    """Id of a version of a template spec, which makes machines of it; empty if its tag is missing."""
    made: str = ""
    """When it was made, as Azure writes times: a changed queue has a new one, and keeps the old one beside it."""

    @property
    def machines(self) -> str:
        """Where the virtual machines of its resource group are."""
        return f"{self.group}/providers/Microsoft.Compute/virtualMachines"

    @property
    def group(self) -> str:
        """Id of its resource group."""
        return self.id.partition("/providers/")[0]


def read_availability_sets(arm: Arm, group: str, cluster: str, config: str) -> Iterator[AvailabilitySet]:
    """Those in the resource group with the id `group` whose tags name this cluster and its config bucket."""
    place = f"{group}/providers/Microsoft.Compute/availabilitySets"
    for raw in tagged(arm.pages(place, bucket=SETS), cluster, config):
        template, made = raw["tags"].get("hpc:template", ""), (raw.get("systemData") or {}).get("createdAt", "")
        yield AvailabilitySet(id=raw["id"], name=raw["name"], pool=pool_of(raw), template=template, made=made)


def read_members(arm: Arm, group: AvailabilitySet) -> list[Machine]:
    """All machines of an availability set, in the order of their names, without what only `read_member` tells.

    Azure lists the power states of a scale set's machines only, and all machines of a resource group at once.
    Source: REST API reference, Virtual Machines - List, `$expand` and `$filter`.
    """
    pages = arm.pages(group.machines, bucket=f"{INSTANCES}:{group.name}")
    ours = (each for each in pages if _set_of(each) == group.id.lower())
    machines = {machine.vm_id: machine for machine in machines_in(ours)}  # two pages may have the same one
    return sorted(machines.values(), key=lambda machine: (len(machine.instance), machine.instance))


def read_member(arm: Arm, group: AvailabilitySet, name: str) -> Machine | None:
    """The machine that has this name now, with its power state and why it failed; None if there is none."""
    try:
        raw = arm.get(f"{group.machines}/{name}", **{"$expand": "instanceView"}).document
    except ArmError as error:
        if error.status == 404:
            return None
        raise
    return next(machines_in([raw]), None)


def _set_of(raw: Mapping[str, Any]) -> str:
    """Azure writes ids in capitals at times."""
    return ((raw["properties"].get("availabilitySet") or {}).get("id") or "").lower()
