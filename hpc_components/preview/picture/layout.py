"""Lays out a scene as boxes and links. All coordinates are in CSS pixels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from hpc_components.preview.picture.boxes import (
    CARD,
    GAP,
    LABEL,
    PAD,
    Box,
    Text,
    card_box,
    chip_box,
    flow,
    frame,
    plain_card,
)
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.picture.lettering import fit, measure
from hpc_components.preview.picture.scene import Scene, Zone

WIDE = 1120
"""Width of the picture on screen or paper, in pixels."""

NARROW = 344
"""Width of the picture on a phone, in pixels."""

_SERVICES_WIDTH = 236
_CARD_MAX_WIDTH = 340
_ZONE_MIN_WIDTH = 214
_FLEETS_PER_COLUMN = 3


@dataclass(frozen=True, kw_only=True)
class Link:
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, kw_only=True)
class Picture:
    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]


def draw(scene: Scene, width: int = WIDE) -> Picture:
    """Return a picture of `scene` with the given width, which must be at least 320."""
    beside = bool(scene.services) and width >= 720
    inner = width - 2 * PAD
    network_width = inner - (_SERVICES_WIDTH + 3 * GAP) * beside
    network = _network(scene, network_width, show_links=not beside)
    top = 0.0
    boxes, links = [], []
    if scene.users is not None:
        users = card_box(scene.users, min(300, inner))
        users = users.moved(PAD + network_width - users.width - PAD, 0)
        boxes.append(users)
        top = users.height + 2 * GAP
    network = network.moved(PAD, top + LABEL)
    if scene.users is not None:
        gate = network.boxes[0] if scene.users.kind == "users" else network
        middle = users.x + users.width / 2 if gate is network else gate.x + gate.width / 2
        links.append(Link(x1=middle, y1=users.height, x2=middle, y2=gate.y))
    parts = [network]
    if beside:
        services, joined = _services_beside(scene, list(_shelves(network)), network.y, width - PAD - _SERVICES_WIDTH)
        parts += services
        links += joined
    elif scene.services:
        below = flow([partial(card_box, card) for card in scene.services], inner, CARD)
        parts.append(frame(below, inner, "plain").moved(PAD, network.y + network.height + GAP))
    bottom = max(part.y + part.height for part in parts) + PAD
    region = Box(kind="region", y=top, width=width, height=bottom - top, boxes=tuple(parts))
    label = Text(x=PAD, y=top + 20, text=fit(f"Region {scene.region}", width - 2 * PAD, "label"), kind="label")
    boxes.append(replace(region, texts=(label,)))
    return Picture(width=width, height=bottom + 1, boxes=tuple(boxes), links=tuple(links))


def _network(scene: Scene, width: float, *, show_links: bool) -> Box:
    inner = width - 2 * PAD
    rows = _band(scene.across, inner, "In several zones") + _zones(scene.zones, inner, show_links=show_links)
    rows += _band(scene.wide, inner, "Queues that use several zones")
    rows += [[_shelf(card, inner, show_links=show_links)] for card in scene.file_systems]
    box = frame(rows, width, "network", scene.network)
    if scene.users is None or scene.users.kind != "users":
        return box
    return _with_gateway(box, chip_box(scene.gateway, inner), measure(scene.network, "label"))


def _with_gateway(network: Box, gateway: Box, label_width: float) -> Box:
    """Return the network with `gateway` in the upper right corner: next to the label if both fit, otherwise above it.

    If the gateway were below the label, the line that connects it to the outside would cross the label.
    """
    down = 0 if PAD + label_width + GAP + gateway.width + PAD <= network.width else gateway.height + 4
    moved = replace(network.moved(0, down), y=network.y, height=network.height + down)
    return replace(moved, boxes=(gateway.moved(network.width - PAD - gateway.width, 6), *moved.boxes))


def _band(cards: Sequence[Card], width: float, label: str) -> list[list[Box]]:
    if not cards:
        return []
    rows = flow([partial(card_box, card) for card in cards], width - 2 * PAD, CARD, most=_CARD_MAX_WIDTH)
    return [[frame(rows, width, "band", label)]]


def _shelves(box: Box) -> Iterator[Box]:
    """Yield the file-system boxes inside a box, in the same order as `Scene.all_file_systems`."""
    for inner in box.boxes:
        yield from [inner] if inner.kind == "shelf" else _shelves(inner)


def _services_beside(scene: Scene, shelves: Sequence[Box], top: float, left: float) -> tuple[list[Box], list[Link]]:
    """Return the boxes and links of the column to the right of the network.

    Buckets are level with the file systems that they are linked to. Other services start at the top.
    """
    level: dict[str, float] = {}
    for shelf, card in zip(shelves, scene.all_file_systems, strict=True):
        for title in card.links:
            level.setdefault(title, shelf.y)
    placed, buckets = [], {}
    for card, y in _heights(scene.services, level, top):
        placed.append(card_box(card, _SERVICES_WIDTH).moved(left, y))
        if card.kind == "bucket":
            buckets.setdefault(card.title, placed[-1])
    links: list[Link] = []
    for lane, (shelf, card) in enumerate(zip(shelves, scene.all_file_systems, strict=True)):
        for title in card.links:
            if title in buckets:
                links += _join(shelf, buckets[title], lane)
    return placed, links


def _heights(services: Sequence[Card], level: Mapping[str, float], top: float) -> Iterator[tuple[Card, float]]:
    """Yield each card with its y coordinate.

    Linked buckets are level with their file systems. As many other cards as fit are placed above the buckets, and the
    rest below.
    """
    linked = [card for card in services if card.kind == "bucket" and card.title in level]
    linked.sort(key=lambda card: level[card.title])
    others = [card for card in services if card not in linked]
    y, first = top, min(level.values(), default=inf)
    while others and y + (height := card_box(others[0], _SERVICES_WIDTH).height) + GAP <= first:
        yield others.pop(0), y
        y += height + GAP
    for card in (*linked, *others):
        y = max(y, level[card.title]) if card in linked else y
        yield card, y
        y += card_box(card, _SERVICES_WIDTH).height + GAP


def _join(shelf: Box, bucket: Box, lane: int) -> list[Link]:
    """Return the lines that link a file system to a bucket: a straight line if the two are level, otherwise a bent
    line that runs in one of five lanes between them.
    """
    right = shelf.x + shelf.width
    top = max(shelf.y, bucket.y)
    bottom = min(shelf.y + shelf.height, bucket.y + bucket.height)
    if bottom - top >= 2 * PAD:
        middle = (top + bottom) / 2
        return [Link(x1=right, y1=middle, x2=bucket.x, y2=middle)]
    start, end = shelf.y + shelf.height / 2, bucket.y + bucket.height / 2
    bend = bucket.x - 6 - 4 * (lane % 5)
    return [
        Link(x1=right, y1=start, x2=bend, y2=start),
        Link(x1=bend, y1=start, x2=bend, y2=end),
        Link(x1=bend, y1=end, x2=bucket.x, y2=end),
    ]


def _zones(zones: Sequence[Zone], width: float, *, show_links: bool) -> list[list[Box]]:
    """Arrange zones in rows, giving fuller zones more width. Zones that contain only subnets come last."""
    used, bare = ([zone for zone in zones if zone.is_bare is is_bare] for is_bare in (False, True))
    crowded = sum(_fleets(zone) > _FLEETS_PER_COLUMN for zone in used) > 1
    least = min(width, _ZONE_MIN_WIDTH + (CARD + GAP) * crowded)
    abreast = max(1, int((width + GAP) // (least + GAP)))
    rows = []
    for start in range(0, len(used), abreast):
        some = used[start : start + abreast]
        weights = [_weight(zone) for zone in some]
        spare = width - (len(some) - 1) * GAP - len(some) * least
        shares = [weight / sum(weights) for weight in weights]
        row = [
            _zone(zone, least + spare * share, show_links=show_links)
            for zone, share in zip(some, shares, strict=True)
        ]
        height = max(box.height for box in row)
        rows.append([_stretched_zone(box, height) for box in row])
    return rows + flow([partial(_bare_zone, zone) for zone in bare], width, _ZONE_MIN_WIDTH, most=_CARD_MAX_WIDTH)


def _bare_zone(zone: Zone, width: float) -> Box:
    lines = (
        f"public {zone.public_cidr}" if zone.public_cidr else "",
        f"private {zone.private_cidr}" if zone.private_cidr else "",
    )
    texts = [
        Text(x=PAD, y=40.0 + 18 * row, text=fit(line, width - 2 * PAD, "line"), kind="line")
        for row, line in enumerate(filter(None, lines))
    ]
    box = frame([], width, "zone", f"Zone {zone.id}")
    return replace(box, height=box.height + 18 * len(texts), texts=(*box.texts, *texts))


def _weight(zone: Zone) -> int:
    """Return a zone's weight, which determines its share of the spare width.

    The weight depends mostly on the number of fleets, because fleets are drawn side by side.
    """
    return 1 + 8 * _fleets(zone)


def _fleets(zone: Zone) -> int:
    return sum(card.kind == "fleet" for card in zone.private)


def _zone(zone: Zone, width: float, *, show_links: bool) -> Box:
    inner = width - 2 * PAD
    subnets = []
    if zone.public_cidr or zone.public:
        subnets.append([_subnet("public", zone.public_cidr, zone.public, inner)])
    if zone.private_cidr or zone.private or not subnets:
        subnets.append([_subnet("private", zone.private_cidr, zone.private, inner)])
    shelves = [[_shelf(card, inner, show_links=show_links)] for card in zone.file_systems]
    return frame([*subnets, *shelves], width, "zone", f"Zone {zone.id}")


def _subnet(side: str, cidr: str | None, cards: Sequence[Card], width: float) -> Box:
    inner = width - 2 * PAD
    steady = [partial(card_box, card) for card in cards if card.kind != "fleet"]
    fleets = [partial(card_box, card) for card in cards if card.kind == "fleet"]
    rows = flow(steady, inner, CARD, most=_CARD_MAX_WIDTH) + flow(fleets, inner, CARD, most=_CARD_MAX_WIDTH)
    label = f"{side.capitalize()} subnet {cidr or ''}".strip()
    if measure(label, "label") > inner:
        label = label.replace(" subnet", "")
    return frame(rows, width, side, label)


def _stretched_zone(box: Box, height: float) -> Box:
    more = height - box.height
    subnets = [inner for inner in box.boxes if inner.kind != "shelf"]
    shelves = [inner.moved(0, more) for inner in box.boxes if inner.kind == "shelf"]
    *others, last = subnets
    return replace(box, height=height, boxes=(*others, replace(last, height=last.height + more), *shelves))


def _shelf(card: Card, width: float, *, show_links: bool) -> Box:
    lines = (*card.lines, *(f"linked to {link}" for link in card.links if show_links))
    return replace(plain_card(replace(card, lines=lines), width), kind="shelf")
