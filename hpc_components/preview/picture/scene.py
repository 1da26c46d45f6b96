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


@dataclass(frozen=True, kw_only=True)
class Zone:
    """What stands in one zone. A CIDR is None where the subnet is there already and not ours."""

    id: str
    public_cidr: str | None = None
    private_cidr: str | None = None
    public: tuple[Card, ...] = ()
    private: tuple[Card, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A cluster as seen from above."""

    region: str
    network: str
    """Name of the network and its address range."""
    users: Card | None
    """Who comes in from the internet; None if nobody can."""
    zones: tuple[Zone, ...]
    wide: tuple[Card, ...]
    """Fleets that use several zones."""
    file_systems: tuple[Card, ...]
    services: tuple[Card, ...]
    """What the region has outside of the network: buckets, secrets, budget."""


def scene_of(resources: Resources, region: str) -> Scene:
    """Everything worth drawing in `resources`."""
    network = _Network(resources)
    standing = [network.placed(resource, card) for resource, card in standing_cards(resources)]
    fleets = [(each.zones, fleet_card(each)) for each in fleets_of(resources)]
    local = [(zones[0], False, card) for zones, card in fleets if len(zones) == 1]
    local += [(network.first_zone, False, card) for zones, card in fleets if not zones]
    file_systems = tuple(file_system_cards(resources))
    return Scene(
        region=region,
        network=network.title,
        users=users_card(resources),
        zones=tuple(network.zone(zone, [*standing, *local]) for zone in network.zones),
        wide=tuple(replace(card, lines=(*card.lines, " · ".join(zones))) for zones, card in fleets if len(zones) > 1),
        file_systems=file_systems,
        services=tuple(service_cards(resources, file_systems)),
    )


def describe(scene: Scene) -> str:
    """The picture in words, for those who don't see it."""
    said = [f"Region {scene.region}.", f"{scene.network}."]
    for zone in scene.zones:
        for side, cidr, cards in (
            ("public", zone.public_cidr, zone.public),
            ("private", zone.private_cidr, zone.private),
        ):
            if cards or cidr:
                held = "; ".join(_words(card) for card in cards) or "nothing"
                said.append(f"Zone {zone.id}, {side} subnet {cidr or ''}: {held}.".replace(" :", ":"))
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

    def placed(self, resource: Resource, card: Card) -> tuple[str, bool, Card]:
        """Zone of a resource, whether it stands in a public subnet, and its card, which tells of further zones."""
        subnets = self._subnets_of(resource)
        zones = sorted({_subnet_zone(subnet) or self.first_zone for subnet in subnets})
        zone = self.first_zone if self.first_zone in zones or not zones else zones[0]
        if len(zones) > 1:
            card = replace(card, lines=(*card.lines, " · ".join(zones)))
        public = any(subnet.urn in self._public for subnet in subnets)
        return zone, public or (not subnets and resource.kind == "NatGateway"), card

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

    def zone(self, zone: str, standing: Iterable[tuple[str, bool, Card]]) -> Zone:
        """What stands in `zone`."""
        here = [(public, card) for where, public, card in standing if where == zone]
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
        )


def _subnet_zone(subnet: Resource) -> str | None:
    return subnet.text("availabilityZoneId") or subnet.text("availabilityZone")
