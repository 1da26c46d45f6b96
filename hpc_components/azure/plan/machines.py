from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.azure.plan.fleets import fleets_of, purchase_of
from hpc_components.azure.plan.types import FLEET, HEAD_NODE, LOGIN_NODES, MACHINE, SCALE_SET
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import MachineUse

_GROWTH = "azure-native:monitor:AutoscaleSetting"


@dataclass(frozen=True, kw_only=True)
class Disk:
    """A managed disk. A field is None if Azure's default applies."""

    type: str
    gib: int
    iops: int | None = None
    throughput: int | None = None
    """Throughput in MB/s."""


@dataclass(frozen=True, kw_only=True)
class AzureMachineUse(MachineUse):
    disks: tuple[Disk, ...] = ()
    """Disks of each machine."""


def machine_uses(resources: Resources) -> Iterator[AzureMachineUse]:
    for each in resources.of_type(MACHINE):
        size = text_at(each.inputs, "hardwareProfile.vmSize")
        yield AzureMachineUse(
            what=_title(resources, each),
            resource=each.urn,
            machines=(size,) if size else (),
            purchase="spot" if each.text("priority") == "Spot" else "on_demand",
            idle=1,
            full=1,
            disks=_disks(each.inputs),
        )
    for each in resources.of_type(SCALE_SET):
        if resources.owner(each, FLEET) is not None:
            continue
        size, fewest = text_at(each.inputs, "sku.name"), number_at(each.inputs, "sku.capacity") or 0
        yield AzureMachineUse(
            what=_title(resources, each),
            resource=each.urn,
            machines=(size,) if size else (),
            purchase=purchase_of(each.inputs),
            idle=fewest,
            full=max(fewest, most_of(resources, each)),
            disks=_disks(each.inputs.get("virtualMachineProfile")),
        )
    for each in fleets_of(resources):
        fleet = each.fleet
        yield AzureMachineUse(
            what=f"queue {fleet.queue}",
            resource=each.component.urn,
            machines=fleet.machines,
            purchase=fleet.purchase,
            idle=fleet.min,
            full=fleet.max,
            queue=fleet.queue,
            disks=_disks(each.scale_set.get("virtualMachineProfile")) or _root_of(each.component),
        )


def most_of(resources: Resources, scale_set: Resource) -> int:
    """Return the maximum number of machines in a scale set: the autoscaling limit, or the capacity if the scale set
    does not autoscale.
    """
    most = [number_at(scale_set.inputs, "sku.capacity") or 0]
    for setting in resources.of_type(_GROWTH):
        if scale_set in resources.needed(setting, SCALE_SET):
            for profile in items(setting.inputs, "profiles"):
                limit = text_at(profile, "capacity.maximum")
                most.append(int(limit) if limit and limit.isdecimal() else 0)
    return max(most)


_TITLES = {HEAD_NODE: "head node", LOGIN_NODES: "login nodes"}


def _title(resources: Resources, resource: Resource) -> str:
    around = resources.parent(resource)
    return _TITLES.get(around.type, resource.name) if around else resource.name


def _root_of(fleet: Resource) -> tuple[Disk, ...]:
    """Return the root disk that a fleet records for machines in availability sets."""
    root, gib = fleet.inputs.get("root"), number_at(fleet.inputs, "root.gib")
    return (Disk(type=text_at(root, "type") or "Standard_LRS", gib=gib),) if gib else ()


def _disks(profile: Any) -> tuple[Disk, ...]:
    """Return the root disk specified by a machine or scale set profile. Separate disk resources are not included."""
    root = profile.get("storageProfile", {}) if isinstance(profile, Mapping) else {}
    disk = root.get("osDisk") if isinstance(root, Mapping) else None
    gib = number_at(disk, "diskSizeGB")
    # ephemeral disks are stored on the machine's local disks, free of charge
    local = text_at(disk, "diffDiskSettings.option")
    if not gib or local:
        return ()
    return (Disk(type=text_at(disk, "managedDisk.storageAccountType") or "Standard_LRS", gib=gib),)
