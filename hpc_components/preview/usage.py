"""What a plan uses by the hour, counted from its resources: machines with their disks, addresses, file systems.

Each use is counted twice: idle, when the queues run nothing but their least nodes, and full, when every queue and
every scaling group is at its most.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hpc_components.preview.fleets import LAUNCH_TEMPLATE, fleets_of, purchase_of
from hpc_components.preview.resources import Resource, Resources

__all__ = ["Group", "MachineUse", "Use", "Volume", "machine_uses", "service_uses", "volume_uses"]

Group = Literal["compute", "access", "storage", "network", "other"]
"""What a cost is for: nodes of queues, the head node and the way to it, file systems, ways in and out, the rest."""


@dataclass(frozen=True, kw_only=True)
class Volume:
    """A block volume; None where the cloud's default holds."""

    type: str
    gib: int
    iops: int | None = None
    throughput: int | None = None
    """MiB/s."""


@dataclass(frozen=True, kw_only=True)
class MachineUse:
    """A group of like machines, or a single one."""

    what: str
    resource: str
    """URN."""
    machines: tuple[str, ...]
    """Machine types; the first is what the group is made of, the others stand in for it."""
    purchase: str
    """`on_demand`, `spot`, `reservation` or `capacity_block`."""
    idle: int
    full: int
    volumes: tuple[Volume, ...] = ()
    """Disks of each machine."""
    efa: bool = False
    queue: str | None = None

    @property
    def group(self) -> Group:
        """What its cost is for."""
        return "compute" if self.queue else "access"


@dataclass(frozen=True, kw_only=True)
class Use:
    """So much of something that the price list knows as `item`."""

    what: str
    resource: str
    """URN."""
    item: str
    idle: int
    full: int
    group: Group


def machine_uses(resources: Resources) -> Iterator[MachineUse]:
    """Everything in the plan that is or launches machines."""
    for instance in resources.of("aws:ec2/instance:Instance"):
        whole = _with_template(resources, instance)
        yield MachineUse(
            what=_title(resources, instance),
            resource=instance.urn,
            machines=_types(whole),
            purchase=purchase_of(whole),
            idle=1,
            full=1,
            volumes=_volumes(whole),
        )
    for group in resources.of("aws:autoscaling/group:Group"):
        whole = _with_template(resources, group)
        yield MachineUse(
            what=_title(resources, group),
            resource=group.urn,
            machines=_types(whole),
            purchase=purchase_of(whole),
            idle=group.number("minSize") or 0,
            full=group.number("maxSize") or 0,
            volumes=_volumes(whole),
        )
    for fleet in fleets_of(resources):
        yield MachineUse(
            what=f"queue {fleet.queue}",
            resource=fleet.resource.urn,
            machines=fleet.machines,
            purchase=fleet.purchase,
            idle=fleet.min,
            full=fleet.max,
            volumes=_volumes(fleet.template),
            efa=fleet.efa,
            queue=fleet.queue,
        )


_TITLES = {"hpc:aws:SlurmHeadNode": "head node", "hpc:aws:LoginNodeNLB": "login nodes"}


def _title(resources: Resources, resource: Resource) -> str:
    around = resources.parent(resource)
    return _TITLES.get(around.type, resource.name) if around else resource.name


def _with_template(resources: Resources, resource: Resource) -> Mapping[str, Any]:
    """The inputs of `resource`, over those of the launch template that it names."""
    templates = resources.needed(resource, LAUNCH_TEMPLATE)
    return {**templates[0].inputs, **resource.inputs} if templates else resource.inputs


def _types(inputs: Mapping[str, Any]) -> tuple[str, ...]:
    name = inputs.get("instanceType")
    return (name,) if isinstance(name, str) else ()


def _volumes(inputs: Mapping[str, Any]) -> tuple[Volume, ...]:
    """Disks of an instance or a launch template, those without a size left out."""
    disks = [inputs.get("rootBlockDevice"), *(inputs.get("ebsBlockDevices") or ())]
    mappings = inputs.get("blockDeviceMappings")
    disks += [each.get("ebs") for each in mappings if isinstance(each, Mapping)] if isinstance(mappings, list) else []
    return tuple(_volume(disk) for disk in disks if isinstance(disk, Mapping) and _whole(disk.get("volumeSize")))


def _volume(disk: Mapping[str, Any], size: str = "volumeSize", kind: str = "volumeType") -> Volume:
    return Volume(
        type=str(disk.get(kind) or "gp2"),  # what EC2 takes where none is said
        gib=_whole(disk.get(size)) or 0,
        iops=_whole(disk.get("iops")),
        throughput=_whole(disk.get("throughput")),
    )


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


_GP3_FREE_IOPS, _GP3_FREE_THROUGHPUT = 3000, 125
"""Included with every gp3 volume. Source: Amazon EBS user guide, "General Purpose SSD volumes"."""


def volume_uses(
    volume: Volume, what: str, resource: str, idle: int, full: int, group: Group = "storage"
) -> Iterator[Use]:
    """Storage, operations and throughput of `idle` to `full` volumes of one kind."""
    parts = {"storage": volume.gib}
    if volume.type == "gp3":
        parts["iops"] = max(0, (volume.iops or 0) - _GP3_FREE_IOPS)
        parts["throughput"] = max(0, (volume.throughput or 0) - _GP3_FREE_THROUGHPUT)
    elif volume.type in ("io1", "io2"):
        parts["iops"] = volume.iops or 0
    for part, quantity in parts.items():
        if quantity:
            item = f"ebs.{volume.type}.{part}"
            name = f"{what}, {volume.type} {part.replace('iops', 'IOPS')}"
            yield Use(
                what=name, resource=resource, item=item, idle=quantity * idle, full=quantity * full, group=group
            )


def service_uses(resources: Resources) -> Iterator[Use]:
    """Everything that is paid by the hour or month for being there, but machines."""
    for kind, (what, item, group) in _FLAT.items():
        for each in resources.of(kind):
            yield _steady(f"{what} {each.name}", each, item, group)
    yield from _address_uses(resources)
    yield from _storage_uses(resources)


_FLAT: Mapping[str, tuple[str, str, Group]] = {
    "aws:ec2/natGateway:NatGateway": ("NAT gateway", "nat_gateway.hour", "network"),
    "aws:ec2/eip:Eip": ("public address", "public_ipv4.hour", "network"),
    "aws:secretsmanager/secret:Secret": ("secret", "secrets_manager.secret", "other"),
    "aws:kms/key:Key": ("key", "kms.key", "other"),
}


def _address_uses(resources: Resources) -> Iterator[Use]:
    """Load balancers, endpoints and public addresses that are no resources of their own."""
    for each in resources.of("aws:ec2/instance:Instance"):
        if each.inputs.get("associatePublicIpAddress") is True:
            yield _steady(f"public address of {each.name}", each, "public_ipv4.hour", "network")
    for each in resources.of("aws:lb/loadBalancer:LoadBalancer"):
        if each.text("loadBalancerType") == "network":
            yield _steady(f"load balancer {each.name}", each, "nlb.hour", "access")
        if each.inputs.get("internal") is not True:
            zones = len(each.inputs.get("subnets") or each.inputs.get("subnetMappings") or ()) or 1
            yield _steady(f"public addresses of {each.name}", each, "public_ipv4.hour", "access", zones)
    for each in resources.of("aws:ec2/vpcEndpoint:VpcEndpoint"):
        if each.text("vpcEndpointType") == "Interface":
            zones = len(each.inputs.get("subnetIds") or ()) or 1
            yield _steady(f"endpoint {each.name}", each, "interface_endpoint.hour", "network", zones)


def _storage_uses(resources: Resources) -> Iterator[Use]:
    for each in resources.of("aws:ebs/volume:Volume"):
        volume = _volume(each.inputs, "size", "type")
        yield from volume_uses(volume, f"volume {each.name}", each.urn, 1, 1)
    for each in resources.of("aws:fsx/lustreFileSystem:LustreFileSystem"):
        yield _steady(f"Lustre {each.name}", each, _lustre_item(each), "storage", each.number("storageCapacity") or 0)
    for each in resources.of("aws:fsx/openZfsFileSystem:OpenZfsFileSystem"):
        zones = "multi_az" if (each.text("deploymentType") or "").startswith("MULTI_AZ") else "single_az"
        for part, key in (("storage", "storageCapacity"), ("throughput", "throughputCapacity")):
            item = f"openzfs.{zones}.{part}"
            yield _steady(f"OpenZFS {each.name}, {part}", each, item, "storage", each.number(key) or 0)


def _steady(what: str, resource: Resource, item: str, group: Group, quantity: int = 1) -> Use:
    return Use(what=what, resource=resource.urn, item=item, idle=quantity, full=quantity, group=group)


def _lustre_item(lustre: Resource) -> str:
    deployment = (lustre.text("deploymentType") or "SCRATCH_1").lower()  # what FSx takes where none is said
    if deployment.startswith("scratch"):
        return f"lustre.{deployment}"
    storage = (lustre.text("storageType") or "SSD").lower()
    return f"lustre.{deployment}.{storage}.{lustre.number('perUnitStorageThroughput')}"
