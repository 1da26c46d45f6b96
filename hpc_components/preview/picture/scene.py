from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hpc_components.preview.clouds import internet_way_of, reader_of
from hpc_components.preview.picture.cards import Card, Network, Placed, fleet_card, users_card
from hpc_components.preview.resources import Resources

_Standing = tuple[tuple[str, ...], Placed]
"""(zones in which a card is drawn, card)."""


@dataclass(frozen=True, kw_only=True)
class Zone:
    """A CIDR is None if the subnet already exists and is therefore not part of the plan."""

    id: str
    public_cidr: str | None = None
    private_cidr: str | None = None
    public: tuple[Card, ...] = ()
    private: tuple[Card, ...] = ()
    file_systems: tuple[Card, ...] = ()
    """File systems that fail if this zone fails."""

    @property
    def is_bare(self) -> bool:
        return not (self.public or self.private or self.file_systems)


@dataclass(frozen=True, kw_only=True)
class Scene:
    region: str
    network: str
    """The network's name and address range."""
    gateway: str
    """The cloud's term for what connects the network to the internet."""
    users: Card | None
    """The users who log in by SSH, or None if SSH is not open to any address range."""
    across: tuple[Card, ...]
    """Load balancers and groups of machines that span several zones, except fleets."""
    zones: tuple[Zone, ...]
    wide: tuple[Card, ...]
    """Fleets that use several zones."""
    file_systems: tuple[Card, ...]
    """File systems that are not tied to a single zone."""
    services: tuple[Card, ...]
    """Elements in the region but outside the network, e.g. buckets, secrets and the budget."""
    steps: tuple[str, ...] = ()
    """Sentences that describe the steps from a user's login to the data. Cards with `step=1` refer to the first
    sentence."""

    @property
    def all_file_systems(self) -> tuple[Card, ...]:
        """All file systems: first those of each zone, then those that are not tied to a single zone."""
        return tuple(card for zone in self.zones for card in zone.file_systems) + self.file_systems


_STEPS = (
    (("users", "campus"), "Users log in by SSH."),
    (("balancer",), "The load balancer picks a login node for them."),
    (("login",), "On a login node, they edit and compile code and submit jobs."),
    (("head",), "Slurm on the head node queues the jobs and requests nodes."),
    (("fleet",), "Nodes of the job's queue are launched, run the job, and are terminated when idle."),
    (("lustre", "nfs"), "Every node mounts these file systems."),
)
"""(kinds of cards, sentence) for each step, in the order in which a job encounters them."""


def scene_of(resources: Resources, cloud: str, region: str) -> Scene:
    reader = reader_of(cloud)
    fleets = tuple(reader.fleets(resources))
    map_ = _Map(reader.network(resources), [zone for fleet in fleets for zone in fleet.zones])
    standing = [(map_.zones_of(each) or (map_.first_zone,), each) for each in reader.standing(resources)]
    queues = [(each.zones, Placed(card=fleet_card(each, cloud))) for each in fleets]
    local = [(zones or (map_.first_zone,), each) for zones, each in queues if len(zones) < 2]
    stores = [(map_.zones_of(each), each) for each in reader.file_systems(resources)]
    here = [each for each in standing if len(each[0]) == 1] + local
    scene = Scene(
        region=region,
        network=map_.network.title,
        gateway=internet_way_of(cloud),
        users=users_card(reader.ssh_sources(resources)),
        across=tuple(_telling_zones(each.card, zones) for zones, each in standing if len(zones) > 1),
        zones=tuple(map_.zone(zone, here, stores) for zone in map_.zones),
        wide=tuple(_telling_zones(each.card, zones) for zones, each in queues if len(zones) > 1),
        file_systems=tuple(each.card for zones, each in stores if len(zones) != 1),
        services=tuple(reader.service_cards(resources, [link for _, each in stores for link in each.card.links])),
    )
    return _with_steps(scene)


def _telling_zones(card: Card, zones: Iterable[str]) -> Card:
    return replace(card, lines=(*card.lines, " · ".join(zones)))


def _with_steps(scene: Scene) -> Scene:
    """Return the scene with cards numbered in the order in which a job encounters them."""
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
    """Return a description of the picture for screen readers."""
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
    said += [f"Outside the network: {_words(card)}." for card in scene.services]
    return " ".join(said)


def _words(card: Card) -> str:
    linked = (f"linked to {', '.join(card.links)}",) if card.links else ()
    return ", ".join((card.title, *card.lines, *card.chips, *((card.frame,) if card.frame else ()), *linked))


class _Map:
    """The zones of a network, to which cards are assigned."""

    def __init__(self, network: Network, zones_of_fleets: Sequence[str]) -> None:
        self.network = network
        named = {*(subnet.zone for subnet in network.subnets), *zones_of_fleets}
        self.zones = tuple(sorted(filter(None, named))) or ("zone",)
        self.first_zone = next(iter(zones_of_fleets), self.zones[0])
        """The zone in which to draw cards whose own zone is not known yet."""

    def zones_of(self, placed: Placed) -> tuple[str, ...]:
        return tuple(sorted({zone or self.first_zone for zone in placed.zones}))

    def zone(self, zone: str, standing: Iterable[_Standing], stores: Iterable[_Standing]) -> Zone:
        here = [each for zones, each in standing if zones == (zone,)]
        cidr: dict[bool, str] = {}
        for subnet in self.network.subnets:
            if subnet.zone == zone:
                cidr.setdefault(subnet.public, subnet.cidr)
        return Zone(
            id=zone,
            public_cidr=cidr.get(True),
            private_cidr=cidr.get(False),
            public=tuple(each.card for each in here if each.public),
            private=tuple(each.card for each in here if not each.public),
            file_systems=tuple(each.card for zones, each in stores if zones == (zone,)),
        )
