from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.catalog.stated_throughput import StatedThroughput

Tier = Literal["basic_hdd", "basic_ssd", "zonal", "regional"]

_SIZE_GIVEN = Limit(
    id="HPC-GFS-001",
    title="A new Filestore instance must specify a size",
    source='Filestore documentation, "Service tiers"',
)
_SIZE = Limit(
    id="HPC-GFS-002",
    title="A Filestore instance must have a size that its tier offers",
    why="zonal: 1 TiB to 9.75 TiB in steps of 256 GiB, 10 TiB to 100 TiB in steps of 2.5 TiB; regional: from 100 "
    "GiB; basic_hdd: 1 TiB to 63.9 TiB; basic_ssd: from 2.5 TiB. If sources disagree about a tier's steps, a "
    "size between two steps only causes a warning.",
    source='Filestore documentation, "Service tiers"',
)
_PLACE = Limit(
    id="HPC-GFS-003",
    title="A regional Filestore instance must not specify a zone",
    why="A regional instance spans all zones of its region. An instance of any other tier is in a single zone.",
    source='Filestore documentation, "Service tiers", regional',
)
_KEY = Limit(
    id="HPC-GFS-004",
    title="Only zonal and regional Filestore instances support your own encryption key",
    source='Filestore documentation, "Encrypt data with customer-managed encryption keys"',
)

LIMITS = (_SIZE_GIVEN, _SIZE, _PLACE, _KEY)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class FilestoreTier:
    tier: str
    """Name of the tier in descriptions, e.g. `zonal`."""
    ranges: Sequence[Sequence[int]]
    """Capacity ranges in ascending order. Each consists of a minimum, a maximum and a step, in GiB."""
    zonal: bool
    kms: bool
    protection: bool
    """Whether instances support deletion protection."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def least(self) -> int:
        """The smallest capacity in GiB."""
        return self.ranges[0][0]

    @property
    def most(self) -> int:
        """The largest capacity in GiB."""
        return self.ranges[-1][1]

    def allows(self, gib: float) -> bool:
        return any(least <= gib <= most and (gib - least) % step == 0 for least, most, step in self.ranges)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeOrder:
    """Settings of a home file system to create. A value is None if it is unspecified or not yet known."""

    tier: str = "zonal"
    size_gib: float | None = None
    zonal: bool | None = None
    kms_key: bool = False


def refusals(order: HomeOrder) -> Iterator[Refusal]:
    tier = tier_named(order.tier)
    if tier is not None:
        yield from _size(order, tier)
        yield from _key(order, tier)
        yield from _place(order, tier)


def _size(order: HomeOrder, tier: FilestoreTier) -> Iterator[Refusal]:
    sold, gib = f"Filestore {tier.tier} supports {tier.least:,} to {tier.most:,} GiB", order.size_gib
    if gib is None:
        yield _SIZE_GIVEN.refuse(
            "size_gib",
            reason=f"no size is specified, and {sold}",
            changes={"size_gib": tier.least},
            advice="or mount an existing file system",
        )
    elif not tier.allows(gib):
        inside = tier.least <= gib <= tier.most
        *below, nearest = nearest_sizes(tier, gib)
        yield _SIZE.refuse(
            "size_gib",
            reason=f"{sold} in fixed steps, and {gib:,.10g} GiB is between two steps"
            if inside
            else f"{sold}, not {gib:,.10g}",
            changes={"size_gib": nearest},
            alternative={"size_gib": below[0]} if below else _tier_change(order, "regional"),
            conflicts_with="tier",
            level=Level.WARNING if inside and "ranges" in tier.unsure else None,
        )


def _key(order: HomeOrder, tier: FilestoreTier) -> Iterator[Refusal]:
    if order.kms_key and not tier.kms:
        other, without = _tier_change(order, "zonal"), {"kms_key": None}
        yield _KEY.refuse(
            "kms_key",
            reason=f"Filestore {tier.tier} does not support your own encryption key",
            changes=other or without,
            alternative=without if other else {},
            conflicts_with="tier",
        )


def _place(order: HomeOrder, tier: FilestoreTier) -> Iterator[Refusal]:
    if order.zonal is None or order.zonal == tier.zonal:
        return
    yield _PLACE.refuse(
        "zonal",
        reason=f"a {tier.tier} Filestore instance is in {'a zone' if tier.zonal else 'all zones of a region'}",
        changes={} if tier.zonal else {"zonal": False},
        alternative=_tier_change(order, "regional" if tier.zonal else "zonal"),
        advice="use a zone in that region" if tier.zonal else "",
        conflicts_with="tier",
    )


def _tier_change(order: HomeOrder, name: Tier) -> Mapping[str, Any]:
    """Return the changes that move an order to another tier.

    The mapping is empty if the order already has that tier, or if the tier doesn't offer the order's size.
    """
    tier = tier_named(name)
    if tier is None or tier.tier == order.tier or not (order.size_gib is None or tier.allows(order.size_gib)):
        return {}
    return {"tier": name} | ({} if order.zonal in (None, tier.zonal) else {"zonal": tier.zonal})


@cache
def tiers() -> tuple[FilestoreTier, ...]:
    return tuple(FilestoreTier(**record) for record in facts_of_kind("tier"))


def tier_named(name: str) -> FilestoreTier | None:
    return next((tier for tier in tiers() if tier.tier == name), None)


def nearest_sizes(tier: FilestoreTier, gib: float) -> tuple[int, ...]:
    """Return the offered sizes nearest to `gib`, in ascending order.

    If the tier offers `gib` itself, return only that size. Otherwise return the next smaller and next larger sizes,
    if any.
    """
    if tier.allows(gib):
        return (int(gib),)
    candidates = set()
    for least, most, step in tier.ranges:
        candidates.update((least, most))
        if least < gib < most:
            below = least + int((gib - least) // step) * step
            candidates.update((below, below + step))
    below = max((size for size in candidates if size < gib), default=None)
    above = min((size for size in candidates if size > gib), default=None)
    return tuple(size for size in (below, above) if size is not None)


def stated_throughput(tier: str, gib: float) -> StatedThroughput | None:
    """Return the throughput of an instance of this tier and size, or None if the catalogue has none for the tier."""
    record = next((each for each in facts_of_kind("throughput") if each["tier"] == tier), None)
    if record is None:
        return None
    write, read = (record[key] * gib / 1024 for key in ("write_mibps_per_tib", "read_mibps_per_tib"))
    return StatedThroughput(write=write, read=read, source=record["source"])


def limit(key: str) -> int:
    return next(record["value"] for record in facts_of_kind("limit") if record["key"] == key)


def services_prefix(size_gib: float) -> int:
    """Return the prefix length of the address range that an instance occupies within the range reserved for Google's
    services.
    """
    return limit("large_longest_prefix" if size_gib >= limit("large_gib") else "longest_prefix")
