from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.aws.plan.fleets import fleets_of, purchase_of
from hpc_components.aws.plan.types import AUTO_SCALING_GROUP, HEAD_NODE, INSTANCE, LAUNCH_TEMPLATE, LOGIN_NODES
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import MachineUse


@dataclass(frozen=True, kw_only=True)
class Disk:
    """An EBS volume. For an attribute that is None, EC2's default applies."""

    type: str
    gib: int
    iops: int | None = None
    throughput: int | None = None
    """Throughput in MiB/s."""


@dataclass(frozen=True, kw_only=True)
class AwsMachineUse(MachineUse):
    disks: tuple[Disk, ...] = ()
    """Disks of each machine."""
    efa: bool = False


def machine_uses(resources: Resources) -> Iterator[AwsMachineUse]:
    for instance in resources.of_type(INSTANCE):
        whole = _with_template(resources, instance)
        yield AwsMachineUse(
            what=_title(resources, instance),
            resource=instance.urn,
            machines=_types(whole),
            purchase=purchase_of(whole),
            idle=1,
            full=1,
            disks=_disks(whole),
        )
    for group in resources.of_type(AUTO_SCALING_GROUP):
        whole = _with_template(resources, group)
        yield AwsMachineUse(
            what=_title(resources, group),
            resource=group.urn,
            machines=_types(whole),
            purchase=purchase_of(whole),
            idle=group.number("minSize") or 0,
            full=group.number("maxSize") or 0,
            disks=_disks(whole),
        )
    for each in fleets_of(resources):
        fleet = each.fleet
        yield AwsMachineUse(
            what=f"queue {fleet.queue}",
            resource=each.component.urn,
            machines=fleet.machines,
            purchase=fleet.purchase,
            idle=fleet.min,
            full=fleet.max,
            queue=fleet.queue,
            disks=_disks(each.template),
            efa=fleet.fabric,
        )


_TITLES = {HEAD_NODE: "head node", LOGIN_NODES: "login nodes"}


def _title(resources: Resources, resource: Resource) -> str:
    around = resources.parent(resource)
    return _TITLES.get(around.type, resource.name) if around else resource.name


def _with_template(resources: Resources, resource: Resource) -> Mapping[str, Any]:
    templates = resources.needed(resource, LAUNCH_TEMPLATE)
    return {**templates[0].inputs, **resource.inputs} if templates else resource.inputs


def _types(inputs: Mapping[str, Any]) -> tuple[str, ...]:
    name = inputs.get("instanceType")
    return (name,) if isinstance(name, str) else ()


def _disks(inputs: Mapping[str, Any]) -> tuple[Disk, ...]:
    """Return the disks of an instance or launch template, except those without a size."""
    found = [inputs.get("rootBlockDevice"), *(inputs.get("ebsBlockDevices") or ())]
    mappings = inputs.get("blockDeviceMappings")
    found += [each.get("ebs") for each in mappings if isinstance(each, Mapping)] if isinstance(mappings, list) else []
    return tuple(disk_of(disk) for disk in found if isinstance(disk, Mapping) and _whole(disk.get("volumeSize")))


def disk_of(disk: Mapping[str, Any], size: str = "volumeSize", kind: str = "volumeType") -> Disk:
    """Build a disk from inputs. `size` and `kind` are the names of the size and type inputs."""
    return Disk(
        type=str(disk.get(kind) or "gp2"),  # EC2's default
        gib=_whole(disk.get(size)) or 0,
        iops=_whole(disk.get("iops")),
        throughput=_whole(disk.get("throughput")),
    )


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
