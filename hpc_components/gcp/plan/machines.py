from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.gcp.plan.fleets import fleets_of, holds_quota, purchase_of
from hpc_components.gcp.plan.types import BAKED_IMAGE, FLEET, GROUPS, HEAD_NODE, LOGIN_NODES, MACHINE, TEMPLATES
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import MachineUse

_AUTOSCALERS = ("gcp:compute/autoscaler:Autoscaler", "gcp:compute/regionAutoscaler:RegionAutoscaler")
_DEFAULT_DISK = "pd-standard"
"""Google's default disk type. Source: Compute Engine API reference, Instances, disks[].initializeParams.diskType."""


@dataclass(frozen=True, kw_only=True)
class Disk:
    """A Persistent Disk or Hyperdisk. A value of None means Google's default."""

    type: str
    gib: int
    iops: int | None = None
    throughput: int | None = None
    """Throughput in MiB/s."""


@dataclass(frozen=True, kw_only=True)
class GcpMachineUse(MachineUse):
    disks: tuple[Disk, ...] = ()
    """Each machine's disks that are not separate resources. Local disks are left out, because the machine's price
    includes them."""
    zones: int = 1
    placed: bool = False
    """Whether the elastic daemon creates compact placement policies for the machines."""
    holds_quota: bool = False
    """Whether the machines come from a reservation in their own project. Such a reservation already counts against
    the quota."""


def machine_uses(resources: Resources) -> Iterator[GcpMachineUse]:
    for each in resources.of_type(MACHINE):
        if resources.owner(each, BAKED_IMAGE) is not None:
            continue  # it runs only while the image is made
        yield _use(resources, each, each.inputs, 1, 1, _boot_disk(each.inputs))
    for each in resources.of_type(*GROUPS):
        if resources.owner(each, FLEET) is not None:
            continue
        template = next((found for kind in TEMPLATES for found in resources.needed(each, kind)), None)
        inputs: Mapping[str, Any] = template.inputs if template else {}
        fewest, most = size_of(resources, each)
        yield _use(resources, each, inputs, fewest, most, _disks(inputs))
    for each in fleets_of(resources):
        fleet = each.fleet
        yield GcpMachineUse(
            what=f"queue {fleet.queue}",
            resource=each.component.urn,
            machines=fleet.machines,
            purchase=fleet.purchase,
            idle=fleet.min,
            full=fleet.max,
            queue=fleet.queue,
            disks=_disks(each.template),
            zones=len(fleet.zones),
            placed=each.component.text("placement") == "cluster",
            holds_quota=holds_quota(each.template),
        )


def size_of(resources: Resources, group: Resource) -> tuple[int, int]:
    """Return a managed instance group's minimum and maximum size.

    The sizes come from the group's autoscaler, or from its target size if it has no autoscaler.
    """
    size = group.number("targetSize") or 0
    for scaler in resources.of_type(*_AUTOSCALERS):
        if group in resources.needed(scaler, group.type):
            fewest = number_at(scaler.inputs, "autoscalingPolicy.minReplicas") or 0
            return fewest, max(fewest, number_at(scaler.inputs, "autoscalingPolicy.maxReplicas") or 0)
    return size, size


_TITLES = {HEAD_NODE: "head node", LOGIN_NODES: "login nodes"}


def _use(
    resources: Resources, resource: Resource, inputs: Mapping[str, Any], idle: int, full: int, disks: tuple[Disk, ...]
) -> GcpMachineUse:
    around, machine = resources.parent(resource), text_at(inputs, "machineType")
    return GcpMachineUse(
        what=_TITLES.get(around.type, resource.name) if around else resource.name,
        resource=resource.urn,
        machines=(machine.rpartition("/")[2],) if machine else (),
        purchase=purchase_of(inputs),
        idle=idle,
        full=full,
        disks=disks,
        holds_quota=holds_quota(inputs),
    )


def _boot_disk(inputs: Mapping[str, Any]) -> tuple[Disk, ...]:
    made = inputs.get("bootDisk")
    gib = number_at(made, "initializeParams.size")
    if not gib:
        return ()
    return (
        Disk(
            type=_short(text_at(made, "initializeParams.type")),
            gib=gib,
            iops=number_at(made, "initializeParams.provisionedIops"),
            throughput=number_at(made, "initializeParams.provisionedThroughput"),
        ),
    )


def _disks(inputs: Mapping[str, Any]) -> tuple[Disk, ...]:
    return tuple(
        Disk(
            type=_short(text_at(each, "diskType")),
            gib=gib,
            iops=number_at(each, "provisionedIops"),
            throughput=number_at(each, "provisionedThroughput"),
        )
        for each in items(inputs, "disks")
        if text_at(each, "type") != "SCRATCH" and (gib := number_at(each, "diskSizeGb"))
    )


def _short(type: str | None) -> str:
    return type.rpartition("/")[2] if type else _DEFAULT_DISK
