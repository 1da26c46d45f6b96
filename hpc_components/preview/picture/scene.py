"""What there is to see of a cluster: its network, machines and storage, read off the resources. No drawing here."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network

from hpc_components.preview.fleets import fleets_of
from hpc_components.preview.picture.cards import (
    Card,
    file_system_cards,
    fleet_card,
    service_cards,
    standing_cards,
    users_card,
)
from hpc_components.preview.resources import Resource, Resources

__all__ = ["Scene", "Zone", "describe", "scene_of"]

_SUBNET = "aws:ec2/subnet:Subnet"
_Placed = tuple[tuple[str, ...], bool, Card]
"""Zones of a card, and whether it stands in a public subnet."""


@dataclass(frozen=True, kw_only=True)
class Zone:
    """What stands in one zone. A CIDR is None where the subnet is there already and not ours."""

    id: str
    public_cidr: str | None = None
    private_cidr: str | None = None
    public: tuple[Card, ...] = ()
    private: tuple[Card, ...] = ()
    file_systems: tuple[Card, ...] = ()
    """Those that stand and fall with this zone."""

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing in it but its subnets."""
        return not (self.public or self.private or self.file_systems)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A cluster as seen from above."""

    region: str
    network: str
    """Name of the network and its address range."""
    users: Card | None
    """Who comes in by SSH; None if nobody can."""
    across: tuple[Card, ...]
    """Load balancers and machines, but fleets, that stand in several zones."""
    zones: tuple[Zone, ...]
    wide: tuple[Card, ...]
    """Fleets that use several zones."""
    file_systems: tuple[Card, ...]
    """Those that do not belong to one zone."""
    services: tuple[Card, ...]
    """What the region has outside of the network: buckets, secrets, budget."""
    steps: tuple[str, ...] = ()
    """The way from a person to the data in words; the first is that of the card with `step=1`."""

    @property
    def all_file_systems(self) -> tuple[Card, ...]:
        """Zone by zone, then those of several zones."""
        return tuple(card for zone in self.zones for card in zone.file_systems) + self.file_systems


_STEPS = (
    (("users", "campus"), "People come in by SSH."),
    (("balancer",), "The load balancer picks a login node for them."),
    (("login",), "On a login node they edit, compile and submit jobs."),
    (("head",), "Slurm on the head node queues the jobs and asks for nodes."),
    (("fleet",), "Nodes of the job's queue are launched, run it, and go when they are idle."),
    (("lustre", "nfs"), "Every node mounts these file systems."),
)
"""Kinds of cards in the order in which a job meets them."""


def scene_of(resources: Resources, region: str) -> Scene:
    """Everything worth drawing in `resources`."""
    network = _Network(resources)
    standing = [network.placed(resource, card) for resource, card in standing_cards(resources)]
    fleets = [(each.zones, fleet_card(each)) for each in fleets_of(resources)]
    local = [(zones, False, card) for zones, card in fleets if len(zones) == 1]
    local += [((network.first_zone,), False, card) for zones, card in fleets if not zones]
    stores = [(network.zones_of(resource), card) for resource, card in file_system_cards(resources)]
    here = [each for each in standing if len(each[0]) == 1] + local
    scene = Scene(
        region=region,
        network=network.title,
        users=users_card(resources),
        across=tuple(_telling_zones(card, zones) for zones, _, card in standing if len(zones) > 1),
        zones=tuple(network.zone(zone, here, stores) for zone in network.zones),
        wide=tuple(_telling_zones(card, zones) for zones, card in fleets if len(zones) > 1),
        file_systems=tuple(card for zones, card in stores if len(zones) != 1),
        services=tuple(service_cards(resources, [card for _, card in stores])),
    )
    return _with_steps(scene)


def _telling_zones(card: Card, zones: Iterable[str]) -> Card:
    return replace(card, lines=(*card.lines, " · ".join(zones)))


def _with_steps(scene: Scene) -> Scene:
    """The scene with its cards numbered along the way of a job, as far as they are there."""
    cards = [*([scene.users] if scene.users else []), *scene.across, *scene.wide, *scene.all_file_systems]
    cards += [card for zone in scene.zones for card in (*zone.public, *zone.private)]
    there = {card.kind for card in cards}
    way = [(kinds, words) for kinds, words in _STEPS if there.intersection(kinds)]
    numbers = {kind: number for number, (kinds, _) in enumerate(way, 1) for kind in kinds}

    def numbered(cards: Iterable[Card]) -> tuple[Card, ...]:
        return tuple(replace(card, step=numbers.get(card.kind)) for card in cards)

    zones = (
        replace(
            zone,
            public=numbered(zone.public),
            private=numbered(zone.private),
            file_systems=numbered(zone.file_systems),
        )
        for zone in scene.zones
    )
    return replace(
        scene,
        users=numbered([scene.users])[0] if scene.users else None,
        across=numbered(scene.across),
        zones=tuple(zones),
        wide=numbered(scene.wide),
        file_systems=numbered(scene.file_systems),
        steps=tuple(words for _, words in way),
    )


def describe(scene: Scene) -> str:
    """The picture in words, for those who don't see it."""
    said = [f"Region {scene.region}.", f"{scene.network}."]
    said += [f"{_words(scene.users)}."] if scene.users else []
    said += [f"In several zones: {_words(card)}." for card in scene.across]
    for zone in scene.zones:
        for side, cidr, cards in (
            ("public", zone.public_cidr, zone.public),
            ("private", zone.private_cidr, zone.private),
        ):
            if cards or cidr:
                held = "; ".join(_words(card) for card in cards) or "nothing"
                said.append(f"Zone {zone.id}, {side} subnet {cidr or ''}: {held}.".replace(" :", ":"))
        said += [f"Zone {zone.id}, file system {_words(card)}." for card in zone.file_systems]
    said += [f"In several zones: {_words(card)}." for card in scene.wide]
    said += [f"File system {_words(card)}." for card in scene.file_systems]
    said += [f"Beside the network: {_words(card)}." for card in scene.services]
    return " ".join(said)


def _words(card: Card) -> str:
    linked = (f"linked to {', '.join(card.links)}",) if card.links else ()
    return ", ".join((card.title, *card.lines, *card.chips, *((card.frame,) if card.frame else ()), *linked))


class _Network:
    """Zones and subnets, and where in them a resource stands."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        vpcs = resources.of("aws:ec2/vpc:Vpc")
        ranges = ", ".join(str(vpc.inputs.get("cidrBlock", "")) for vpc in vpcs)
        self.title = f"VPC {ranges}".strip() if vpcs else "VPC that is there already"
        self._subnets = resources.of(_SUBNET)
        self._public = {subnet.urn for subnet in self._open_subnets()}
        named = [_subnet_zone(subnet) for subnet in self._subnets]
        of_fleets = [zone for fleet in fleets_of(resources) for zone in fleet.zones]
        named += of_fleets
        self.zones = tuple(sorted({zone for zone in named if zone})) or ("zone",)
        self.first_zone = of_fleets[0] if of_fleets else self.zones[0]

    def _open_subnets(self) -> Iterable[Resource]:
        """Subnets whose route table has a route to an internet gateway."""
        routes = self._resources.of("aws:ec2/route:Route")
        gateway = "aws:ec2/internetGateway:InternetGateway"
        table = "aws:ec2/routeTable:RouteTable"
        found = [each for each in (*routes, *self._resources.of(table)) if self._resources.needed(each, gateway)]
        tables = {each.urn for each in found if each.type == table}
        tables |= {needed.urn for each in found for needed in self._resources.needed(each, table)}
        for each in self._resources.of("aws:ec2/routeTableAssociation:RouteTableAssociation"):
            if any(needed.urn in tables for needed in self._resources.needed(each, table)):
                yield from self._resources.needed(each, _SUBNET)

    def placed(self, resource: Resource, card: Card) -> _Placed:
        """Zones of a resource, whether it stands in a public subnet, and its card."""
        subnets = self._subnets_of(resource)
        public = any(subnet.urn in self._public for subnet in subnets)
        zones = self.zones_of(resource) or (self.first_zone,)
        return zones, public or (not subnets and resource.kind == "NatGateway"), card

    def zones_of(self, resource: Resource) -> tuple[str, ...]:
        """Those of the subnets in which it stands, sorted; none where it takes no subnet of ours."""
        return tuple(sorted({_subnet_zone(subnet) or self.first_zone for subnet in self._subnets_of(resource)}))

    def _subnets_of(self, resource: Resource) -> list[Resource]:
        """By its fixed address; else those that it, or the first thing below it that has any, takes."""
        whole = (resource, *self._resources.below(resource))
        addresses = [str(address) for part in whole for address in part.inputs.get("privateIps") or ()]
        by_address = [subnet for address in addresses if (subnet := self._holding(address))]
        taken = (self._resources.needed(part, _SUBNET) for part in whole)
        return by_address[:1] or list(next(filter(None, taken), ()))

    def _holding(self, address: str) -> Resource | None:
        for subnet in self._subnets:
            cidr = subnet.text("cidrBlock")
            try:
                if cidr and ip_address(address) in ip_network(cidr):
                    return subnet
            except ValueError:  # unknown before the cloud says it
                continue
        return None

    def zone(self, zone: str, standing: Iterable[_Placed], stores: Iterable[tuple[tuple[str, ...], Card]]) -> Zone:
        """What stands in `zone` alone."""
        here = [(public, card) for zones, public, card in standing if zones == (zone,)]
        cidr: dict[bool, str] = {}
        for subnet in self._subnets:
            if _subnet_zone(subnet) == zone:
                cidr.setdefault(subnet.urn in self._public, str(subnet.inputs.get("cidrBlock", "")))
        return Zone(
            id=zone,
            public_cidr=cidr.get(True),
            private_cidr=cidr.get(False),
            public=tuple(card for public, card in here if public),
            private=tuple(card for public, card in here if not public),
            file_systems=tuple(card for zones, card in stores if zones == (zone,)),
        )


def _subnet_zone(subnet: Resource) -> str | None:
    return subnet.text("availabilityZoneId") or subnet.text("availabilityZone")
