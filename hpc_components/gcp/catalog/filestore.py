"""What Filestore sells, decided in one place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.file_systems import of_kind

__all__ = [
    "FilestoreOrder", "FilestoreTier", "filestore_refusals", "filestore_tier", "filestore_tiers",
    "has_protection", "nearest_filestore_sizes", "sizes_are_sure",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FilestoreTier:
    """One tier."""

    tier: str
    """As in descriptions: `zonal`."""
    ranges: Sequence[Sequence[int]]
    """Capacities: smallest and largest GiB, which are whole steps apart, and the step between them, ascending."""
    zonal: bool
    """Whether it is in one zone; else in all of a region."""
    kms: bool
    """Whether it takes a key of the user's own."""
    protection: bool
    """Whether it can be protected against deletion."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def allows(self, gib: float) -> bool:
        """Whether that capacity is sold."""
        return any(least <= gib <= most and (gib - least) % step == 0 for least, most, step in self.ranges)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilestoreOrder:
    """A file system as one orders it. None is what is not given, or not known before something else is made."""

    tier: str = "zonal"
    size_gib: float | None = None
    zone: str | None = None
    kms_key: str | None = None


@cache
def filestore_tiers() -> tuple[FilestoreTier, ...]:
    """All tiers."""
    return tuple(FilestoreTier(**record) for record in of_kind("filestore"))


def filestore_tier(name: str) -> FilestoreTier | None:
    """The tier of that name."""
    return next((tier for tier in filestore_tiers() if tier.tier == name), None)


def filestore_refusals(order: FilestoreOrder) -> Iterator[Refusal]:
    """What Filestore would refuse of a file system, by the names of the order's fields.

    Source: Filestore documentation, "Service tiers" (capacity ranges) and "Encrypt data with customer-managed keys".
    """
    tier = filestore_tier(order.tier)
    if tier is None:
        yield Refusal(field="tier", why=Why.UNKNOWN, allowed=tuple(each.tier for each in filestore_tiers()))
        return
    if order.size_gib is None:
        yield Refusal(field="size_gib", why=Why.MISSING, allowed=(tier.ranges[0][0],))
    elif not tier.allows(order.size_gib):
        allowed = nearest_filestore_sizes(tier, order.size_gib)
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, because_of="tier", allowed=allowed)
    if order.zone is not None and not tier.zonal:
        yield Refusal(field="zone", why=Why.NOT_TAKEN, because_of="tier")
    if order.kms_key is not None and not tier.kms:
        allowed = tuple(each.tier for each in filestore_tiers() if each.kms)
        yield Refusal(field="kms_key", why=Why.NOT_TAKEN, because_of="tier", allowed=allowed)


def has_protection(tier: str) -> bool:
    """Whether a file system of a tier can be protected against deletion. False for a tier that there is not."""
    found = filestore_tier(tier)
    return found is not None and found.protection


def sizes_are_sure(tier: str) -> bool:
    """Whether a primary source confirms which capacities of a tier are sold."""
    found = filestore_tier(tier)
    return found is None or "ranges" not in found.unsure


def nearest_filestore_sizes(tier: FilestoreTier, gib: float) -> tuple[int, ...]:
    """The capacities on sale next to a wanted one, ascending: itself, or the next below and above, if any."""
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
