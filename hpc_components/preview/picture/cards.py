"""The things to see in a cluster: each a card with a few lines, and the place where it stands."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network

from hpc_components.catalog import machine
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural

__all__ = ["Card", "Fleet", "Network", "Placed", "Subnet", "file_system_card", "fleet_card", "users_card"]


@dataclass(frozen=True, kw_only=True)
class Card:
    """One thing to see."""

    kind: str
    """What it is, which gives it its icon and its place: `users` and `campus` (people), `balancer`, `login`, `head`,
    `server` (another machine), `nat`, `fleet`, `lustre`, `nfs`, `bucket`, `money`, `secret`, `reaper`.
    """
    title: str
    lines: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    """Short marks: `8 × H100`, `spot`."""
    nodes: tuple[int, int] | None = None
    """Fewest and most nodes of a fleet."""
    frame: str | None = None
    """Text of a frame around it: `cluster placement group`."""
    links: tuple[str, ...] = ()
    """Titles of the bucket cards that it loads from and writes to."""
    step: int | None = None
    """Its place on the way from a person to the data; the scene counts it."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A card with the zones in which its thing stands."""

    card: Card
    zones: tuple[str | None, ...] = ()
    """Zones by the ids that subnets and fleets have too; None for one that only the cloud will know.

    Empty for a machine of which nothing is known, and for a file system that belongs to no zone.
    """
    public: bool = False
    """Whether it stands in a public subnet."""


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """A subnet of the plan."""

    zone: str | None
    """None where only the cloud will know it, or where subnets belong to no zone."""
    cidr: str
    public: bool
    """Whether it has a route to the internet and back."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """The network in which the cluster stands."""

    title: str
    """What it is and its address range: `VPC 10.20.0.0/16`."""
    subnets: tuple[Subnet, ...] = ()
    """Those that the plan makes, in the order of their URNs."""


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """A queue and its machines."""

    queue: str
    machines: tuple[str, ...]
    """Machine types in the order in which they are tried."""
    zones: tuple[str, ...]
    min: int
    max: int
    purchase: str
    """`on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    fabric: bool
    """Whether its nodes use the RDMA network of their machines."""
    placement: str | None = None
    """What keeps its nodes close together, in the cloud's words: `cluster placement group`."""


def file_system_card(
    resources: Resources, resource: Resource, kind: str, facts: Iterable[str | None], links: Iterable[str] = ()
) -> Card:
    """The card of a file system: where its component says that it is mounted, what is known of it, its buckets."""
    around = resources.parent(resource)
    return Card(
        kind=kind,
        title=(around.text("mount") if around else None) or resource.name,
        lines=(" · ".join(filter(None, facts)),),
        chips=("kept when the stack goes",) if resource.retain else (),
        links=tuple(links),
    )


def fleet_card(fleet: Fleet, cloud: str) -> Card:
    """A queue: its machines, how many, what they carry and how they are bought."""
    facts = machine(cloud, fleet.machines[0]) if fleet.machines else None
    size = f"{fleet.min} to {plural(fleet.max, 'node')}"
    if facts:
        size += f", {plural(fleet.max * facts.cores, 'core')}"
    chips = []
    if facts and facts.accelerator:
        chips.append(f"{facts.accelerator.count} × {facts.accelerator.model}")
    if facts and facts.fabric and fleet.fabric:
        chips.append(f"{facts.fabric.interfaces} × {facts.fabric.name}, {facts.fabric.gbps:,.0f} Gb/s")
    if fleet.purchase != "on_demand":
        chips.append(fleet.purchase.replace("_", " "))
    first, *others = fleet.machines or ("unknown machine",)
    return Card(
        kind="fleet",
        title=fleet.queue,
        lines=(first, *((f"or {', '.join(others)}",) if others else ()), size),
        chips=tuple(chips),
        nodes=(fleet.min, fleet.max),
        frame=fleet.placement,
    )


def users_card(ranges: Iterable[str]) -> Card | None:
    """The people who come in by SSH, from the address ranges that are let in.

    Its kind is `users` where somebody comes from the internet, `campus` where all come from networks of their own.
    """
    sources = sorted(set(ranges))
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
"""Private ranges, which the internet does not route. Source: RFC 1918, RFC 6598."""


def _is_own(source: str) -> bool:
    try:
        return any(IPv4Network(source, strict=False).subnet_of(own) for own in _OWN)
    except ValueError:  # IPv6, or not known yet
        return False
