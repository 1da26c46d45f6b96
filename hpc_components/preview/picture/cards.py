from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network

from hpc_components.catalog import machine
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural


@dataclass(frozen=True, kw_only=True)
class Card:
    kind: str
    """Kind of element, which determines the icon and position: `users` and `campus` (people), `balancer`, `login`,
    `head`, `server` (another machine), `nat`, `fleet`, `lustre`, `nfs`, `bucket`, `money`, `secret` or `reaper`."""
    title: str
    lines: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    """Short labels, e.g. `8 × H100` or `spot`."""
    nodes: tuple[int, int] | None = None
    """Minimum and maximum number of nodes in a fleet."""
    frame: str | None = None
    """Label of a frame around the card, e.g. `cluster placement group`."""
    links: tuple[str, ...] = ()
    """Titles of the cards for the buckets that a file system imports from or exports to."""
    step: int | None = None
    """Number of the card's step on the way from a user's login to the data. Set by the scene."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    card: Card
    zones: tuple[str | None, ...] = ()
    """Zone ids, in the same form as in `Subnet` and `Fleet`. None stands for a zone that is not known until
    deployment. Empty if a machine's zone is unknown or if a file system is not tied to a zone."""
    public: bool = False


@dataclass(frozen=True, kw_only=True)
class Subnet:
    zone: str | None
    """Zone id, or None if the zone is not known until deployment or if subnets are not zonal."""
    cidr: str
    public: bool
    """Whether the subnet has a route to and from the internet."""


@dataclass(frozen=True, kw_only=True)
class Network:
    title: str
    """Kind and address range, e.g. `VPC 10.20.0.0/16`."""
    subnets: tuple[Subnet, ...] = ()
    """Subnets that the plan creates, in URN order."""


@dataclass(frozen=True, kw_only=True)
class Fleet:
    queue: str
    machines: tuple[str, ...]
    """Machine types, in the order in which they are tried."""
    zones: tuple[str, ...]
    min: int
    max: int
    purchase: str
    """How the machines are bought: `on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    fabric: bool
    """Whether the nodes use an RDMA network."""
    placement: str | None = None
    """The cloud's term for placing nodes close together, e.g. `cluster placement group`."""


def file_system_card(
    resources: Resources, resource: Resource, kind: str, facts: Iterable[str | None], links: Iterable[str] = ()
) -> Card:
    """Return a file system's card, which shows all `facts` that are not None and has links to the buckets in `links`.

    The title is the mount point of the component that contains the resource or, if there is no mount point, the
    resource's name.
    """
    around = resources.parent(resource)
    return Card(
        kind=kind,
        title=(around.text("mount") if around else None) or resource.name,
        lines=(" · ".join(filter(None, facts)),),
        chips=("retained on destroy",) if resource.retain else (),
        links=tuple(links),
    )


def fleet_card(fleet: Fleet, cloud: str) -> Card:
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
    """Return a card for users who log in by SSH from these address ranges, or None if there are no ranges.

    The card's kind is `users` if any range is public, and `campus` if all ranges are private.
    """
    sources = sorted(set(ranges))
    own = [source for source in sources if _is_own(source)]
    public = [source for source in sources if source not in own]
    if public:
        lines = [f"SSH from {_some(public)}", *([f"and from private networks {_some(own)}"] if own else [])]
        return Card(kind="users", title="Internet", lines=tuple(lines))
    if own:
        return Card(kind="campus", title="Your own networks", lines=(f"SSH from {_some(own)}", "via VPN or peering"))
    return None


def _some(sources: list[str]) -> str:
    return ", ".join([*sources[:3], *([f"{len(sources) - 3} more"] if len(sources) > 3 else [])])


_PRIVATE_RANGES = tuple(
    IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
"""Address ranges that are not routed on the internet. Source: RFC 1918, RFC 6598."""


def _is_own(source: str) -> bool:
    try:
        return any(IPv4Network(source, strict=False).subnet_of(private) for private in _PRIVATE_RANGES)
    except ValueError:  # IPv6 ranges and unknown values can't be parsed
        return False
