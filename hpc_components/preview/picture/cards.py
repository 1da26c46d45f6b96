"""The things to see in a cluster, each as a card with a few lines: machines, queues, file systems, services."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from hpc_components.catalog import machine
from hpc_components.preview.fleets import Fleet
from hpc_components.preview.resources import Resource, Resources

__all__ = ["Card", "amount", "file_system_cards", "fleet_card", "service_cards", "standing_cards", "users_card"]


@dataclass(frozen=True, kw_only=True)
class Card:
    """One thing to see."""

    kind: str
    """What it is: `head`, `login`, `balancer`, `nat`, `server`, `fleet`, `lustre`, `nfs`, `bucket`, `money`, ..."""
    title: str
    lines: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    """Short marks: `8 × H100`, `spot`."""
    nodes: tuple[int, int] | None = None
    """Fewest and most nodes of a fleet."""
    frame: str | None = None
    """Text of the placement group's frame around it."""
    links: tuple[str, ...] = ()
    """Titles of the bucket cards that it loads from and writes to."""
    step: int | None = None
    """Its place on the way from a person to the data."""


def amount(count: int, noun: str) -> str:
    """`1 node`, `1,536 cores`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def standing_cards(resources: Resources) -> Iterable[tuple[Resource, Card]]:
    """All that stands in a subnet, but fleets."""
    for each in resources.of("aws:ec2/natGateway:NatGateway"):
        yield each, Card(kind="nat", title="NAT gateway", lines=("way out of private subnets",))
    for each in resources.of("aws:lb/loadBalancer:LoadBalancer"):
        reach = "inside the network" if each.inputs.get("internal") is True else "open to the internet"
        yield each, Card(kind="balancer", title="Load balancer", lines=(reach,))
    for each in resources.of("hpc:aws:SlurmHeadNode"):
        yield each, _head(resources, each)
    for each in resources.of("aws:ec2/instance:Instance"):
        if resources.owner(each, "hpc:aws:SlurmHeadNode") is None:
            yield each, Card(kind="server", title=each.name, lines=(each.text("instanceType") or "instance",))
    for each in resources.of("aws:autoscaling/group:Group"):
        if resources.owner(each, "hpc:aws:SlurmHeadNode") is None:
            yield each, _group(resources, each)


def _head(resources: Resources, head: Resource) -> Card:
    parts = list(resources.below(head))
    types = (part.text("instanceType") for part in parts)
    addresses = (str(address) for part in parts for address in part.inputs.get("privateIps") or ())
    lines = [next(filter(None, types), None), next(addresses, None)]
    chips = ("public address",) if any(part.kind == "Eip" for part in parts) else ()
    return Card(kind="head", title="Head node", lines=tuple(filter(None, lines)), chips=chips)


def _group(resources: Resources, group: Resource) -> Card:
    templates = resources.needed(group, "aws:ec2/launchTemplate:LaunchTemplate")
    kind = next(filter(None, (template.text("instanceType") for template in templates)), "instances")
    fewest, most = group.number("minSize"), group.number("maxSize")
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    ours = resources.owner(group, "hpc:aws:LoginNodeNLB") is not None
    return Card(kind="login", title="Login nodes" if ours else group.name, lines=(f"{count} × {kind}",))


def fleet_card(fleet: Fleet) -> Card:
    """A queue: its machines, how many, what they carry and how they are bought."""
    facts = machine("aws", fleet.machines[0]) if fleet.machines else None
    size = f"{fleet.min} to {amount(fleet.max, 'node')}"
    if facts:
        size += f", {amount(fleet.max * facts.cores, 'core')}"
    chips = []
    if facts and facts.accelerator:
        chips.append(f"{facts.accelerator.count} × {facts.accelerator.model}")
    if facts and facts.fabric and fleet.efa:
        chips.append(f"{facts.fabric.interfaces} × EFA, {facts.fabric.gbps:,.0f} Gb/s")
    if fleet.purchase != "on_demand":
        chips.append(fleet.purchase.replace("_", " "))
    first, *others = fleet.machines or ("unknown machine",)
    return Card(
        kind="fleet",
        title=fleet.queue,
        lines=(first, *((f"or {', '.join(others)}",) if others else ()), size),
        chips=tuple(chips),
        nodes=(fleet.min, fleet.max),
        frame=f"{fleet.placement} placement group" if fleet.placement else None,
    )


_FILE_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "aws:fsx/lustreFileSystem:LustreFileSystem": ("lustre", "FSx for Lustre"),
    "aws:fsx/openZfsFileSystem:OpenZfsFileSystem": ("nfs", "FSx for OpenZFS"),
    "aws:efs/fileSystem:FileSystem": ("nfs", "EFS"),
}


def file_system_cards(resources: Resources) -> Iterable[tuple[Resource, Card]]:
    """Every file system, with the buckets that it is linked to."""
    for each in resources.of(*_FILE_SYSTEMS):
        kind, product = _FILE_SYSTEMS[each.type]
        around = resources.parent(each)
        mount = around.text("mount") if around else None
        size = each.number("storageCapacity")
        deployment = each.text("deploymentType")
        speed = each.number("throughputCapacity")
        facts = (
            " ".join(filter(None, (product, deployment))),
            f"{size:,} GiB" if size else "grows with its content",
            f"{speed:,} MB/s" if speed else None,
        )
        chips = ("kept when the stack goes",) if each.retain else ()
        links = dict.fromkeys(_linked_buckets(resources, each))
        yield (
            each,
            Card(
                kind=kind,
                title=mount or each.name,
                lines=(" · ".join(filter(None, facts)),),
                chips=chips,
                links=tuple(links),
            ),
        )


def _linked_buckets(resources: Resources, lustre: Resource) -> Iterable[str]:
    for link in resources.of("aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation"):
        if lustre in resources.needed(link, lustre.type):
            yield _bucket_of(resources, link, "dataRepositoryPath")
    if lustre.inputs.get("importPath"):
        yield _bucket_of(resources, lustre, "importPath")


def _bucket_of(resources: Resources, link: Resource, key: str) -> str:
    """Title of the bucket that `link` names under `key`, or takes from a bucket resource."""
    own = resources.needed(link, "aws:s3/bucket:Bucket")
    path = link.text(key)
    if path is not None and path.startswith("s3://"):
        return path.removeprefix("s3://").split("/")[0]
    return _bucket_title(own[0]) if own else "bucket"


def _bucket_title(bucket: Resource) -> str:
    return bucket.text("bucket") or bucket.name


def service_cards(resources: Resources, file_systems: Iterable[Card]) -> Iterable[Card]:
    """What the region holds outside of the network, buckets first."""
    seen = set()
    for each in resources.of("aws:s3/bucket:Bucket"):
        config = resources.owner(each, "hpc:aws:ConfigBucket") is not None
        seen.add(title := _bucket_title(each))
        yield Card(kind="bucket", title=title, lines=("S3, configuration of the nodes" if config else "S3 bucket",))
    for title in dict.fromkeys(link for card in file_systems for link in card.links):
        if title not in seen:
            yield Card(kind="bucket", title=title, lines=("S3 bucket that is there already",))
    shards = Counter(
        _shards_title(resources, each) for each in resources.of("aws:s3/directoryBucket:DirectoryBucket")
    )
    for title, number in sorted(shards.items()):
        yield Card(kind="bucket", title=title, lines=(f"S3 Express One Zone, {amount(number, 'bucket')}",))
    for each in resources.of("aws:budgets/budget:Budget"):
        yield Card(kind="money", title="Budget", lines=(_budget(each.inputs),))
    if resources.of("hpc:aws:NodeReaper"):
        yield Card(kind="reaper", title="Node reaper", lines=("ends elastic nodes before the rest goes",))
    if secrets := resources.of("aws:secretsmanager/secret:Secret"):
        yield Card(kind="secret", title=amount(len(secrets), "secret"), lines=("Secrets Manager",))


def _shards_title(resources: Resources, bucket: Resource) -> str:
    """Directory buckets over which one set of data is spread share the name of their component."""
    around = resources.parent(bucket)
    return around.name if around and around.type == "hpc:aws:ExpressDataBucket" else _bucket_title(bucket)


def _budget(inputs: Mapping[str, Any]) -> str:
    limit = inputs.get("limitAmount")
    try:
        return f"USD {float(str(limit)):,.0f} {str(inputs.get('timeUnit', '')).lower()}"
    except ValueError:
        return "limit not known yet"


def users_card(resources: Resources) -> Card | None:
    """Those who come in by SSH, from the ingress rules for port 22 that name others than the network itself.

    Its kind is `users` where somebody comes from the internet, `campus` where all come from networks of their own.
    """
    inside = {vpc.text("cidrBlock") for vpc in resources.of("aws:ec2/vpc:Vpc")}
    named = (
        rule.text("cidrIpv4") or rule.text("cidrIpv6")
        for rule in resources.of("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
        if rule.number("fromPort") == 22
    )
    sources = sorted({source for source in named if source and source not in inside})
    own = [source for source in sources if _is_own(source)]
    public = [source for source in sources if source not in own]
    if public:
        lines = [f"SSH from {_some(public)}", *([f"and from own networks {_some(own)}"] if own else [])]
        return Card(kind="users", title="Internet", lines=tuple(lines))
    if own:
        return Card(kind="campus", title="Your own networks", lines=(f"SSH from {_some(own)}", "by VPN or peering"))
    return None


def _some(sources: list[str]) -> str:
    return ", ".join([*sources[:3], *([f"{len(sources) - 3} more"] if len(sources) > 3 else [])])


_OWN = tuple(IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"))
"""Ranges that are nobody's on the internet. Source: RFC 1918, RFC 6598."""


def _is_own(source: str) -> bool:
    try:
        return any(IPv4Network(source, strict=False).subnet_of(own) for own in _OWN)
    except ValueError:  # IPv6, or not known yet
        return False
