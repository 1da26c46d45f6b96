"""The elements of a picture: cards with a few lines, and their places in the network."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network

from hpc_components.catalog import machine
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural


@dataclass(frozen=True, kw_only=True)
class Card:
    """One element of the picture."""

    kind: str
    """The kind, which determines icon and place: `users` and `campus` (people), `balancer`, `login`, `head`, `server`
    (another machine), `nat`, `fleet`, `lustre`, `nfs`, `bucket`, `money`, `secret`, `reaper`.
    """
    title: str
    lines: tuple[str, ...] = ()
    chips: tuple[str, ...] = ()
    """Short labels: `8 × H100`, `spot`."""
    nodes: tuple[int, int] | None = None
    """Minimum and maximum nodes of a fleet."""
    frame: str | None = None
    """Label of a frame around the card: `cluster placement group`."""
    links: tuple[str, ...] = ()
    """Titles of the bucket cards that it imports from and exports to."""
    step: int | None = None
    """Number of the step from a user's login to the data; the scene sets it."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A card with its zones."""

    card: Card
    zones: tuple[str | None, ...] = ()
    """Zone ids, as subnets and fleets have them; None for a zone that only the cloud will know.

    Empty for a machine in an unknown place, and for a file system that belongs to no zone.
    """
    public: bool = False
    """Whether it is in a public subnet."""


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """A subnet of the plan."""

    zone: str | None
    """None if only the cloud will know it, or if subnets belong to no zone."""
    cidr: str
    public: bool
    """Whether it has a route to and from the internet."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """The network of the cluster."""

    title: str
    """Kind and address range: `VPC 10.20.0.0/16`."""
    subnets: tuple[Subnet, ...] = ()
    """The subnets that the plan makes, in the order of their URNs."""


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """A queue and its machines."""

    queue: str
    machines: tuple[str, ...]
    """Machine types, in the order in which they are tried."""
    zones: tuple[str, ...]
    min: int
    max: int
    purchase: str
    """`on_demand`, `spot`, `reservation`, `flex_start` or `capacity_block`."""
    fabric: bool
    """Whether its nodes use the RDMA network of their machines."""
    placement: str | None = None
    """What keeps its nodes close together, in the cloud's terms: `cluster placement group`."""


def file_system_card(
    resources: Resources, resource: Resource, kind: str, facts: Iterable[str | None], links: Iterable[str] = ()
) -> Card:
    """Return the card of a file system, titled with its component's mount point, with known facts and its buckets."""
    around = resources.parent(resource)
    return Card(
        kind=kind,
        title=(around.text("mount") if around else None) or resource.name,
        lines=(" · ".join(filter(None, facts)),),
        chips=("retained on destroy",) if resource.retain else (),
        links=tuple(links),
    )


def fleet_card(fleet: Fleet, cloud: str) -> Card:
    """Return the card of a queue: machine type, number of nodes, accelerators, fabric and way of purchase."""
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
    """Return the card of the users who log in by SSH, with the allowed address ranges; None if there are no ranges.

    Its kind is `users` if any range is on the internet, `campus` if all ranges are private.
    """
    sources = sorted(set(ranges))
    own = [source for source in sources if _is_own(source)]
    public = [source for source in sources if source not in own]
    if public:
        lines = [f"SSH from {_some(public)}", *([f"and from private networks {_some(own)}"] if own else [])]
        return Card(kind="users", title="Internet", lines=tuple(lines))
    if own:
        return Card(kind="campus", title="Your own networks", lines=(f"SSH from {_some(own)}", "by VPN or peering"))
    return None


def _some(sources: list[str]) -> str:
    return ", ".join([*sources[:3], *([f"{len(sources) - 3} more"] if len(sources) > 3 else [])])


_PRIVATE_RANGES = tuple(
    IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
"""Address ranges that the internet does not route. Source: RFC 1918, RFC 6598."""


def _is_own(source: str) -> bool:
    try:
        return any(IPv4Network(source, strict=False).subnet_of(private) for private in _PRIVATE_RANGES)
    except ValueError:  # IPv6, or not known yet
        return False
