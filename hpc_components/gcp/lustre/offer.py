from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal

_SIZE_GIVEN = Limit(
    id="HPC-GML-001",
    title="A new Lustre file system must specify a size",
    source='Managed Lustre documentation, "Performance tiers"',
)
_STEP = Limit(
    id="HPC-GML-002",
    title="A Lustre file system's size must be a multiple of its tier's step",
    why="9,000 GiB at 1000 MB/s per TiB, 18,000 at 500, 36,000 at 250, 72,000 at 125; above a threshold, steps are"
    " larger.",
    source='Managed Lustre documentation, "Performance tiers"',
)
_MAXIMUM = Limit(
    id="HPC-GML-003",
    title="A Lustre file system's size must not exceed its tier's maximum",
    why="The maximum for 125 MB/s per TiB is unconfirmed, so a larger size only causes a warning.",
    source='Managed Lustre documentation, "Performance tiers"',
)

LIMITS = (_SIZE_GIVEN, _STEP, _MAXIMUM)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    throughput: int
    """Throughput in MB/s per TiB."""
    step_gib: int
    """Step between capacities up to the threshold, in GiB. This is also the minimum capacity."""
    threshold_gib: int | None
    """Capacity in GiB above which the larger step applies, or None if the tier has only one step."""
    large_step_gib: int | None
    """Step between capacities above the threshold, in GiB, or None if the tier has only one step."""
    max_gib: int
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def step(self, gib: float) -> int:
        large = self.threshold_gib is not None and gib > self.threshold_gib
        return self.large_step_gib if large and self.large_step_gib else self.step_gib

    def allows(self, gib: float) -> bool:
        """Return whether the capacity is a multiple of its step, regardless of the maximum."""
        return gib > 0 and gib % self.step(gib) == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """Settings of a file system to create. A value is None if it is unspecified or not yet known."""

    throughput: float | None = None
    """Throughput in MB/s per TiB."""
    size_gib: float | None = None


def refusals(order: LustreOrder) -> Iterator[Refusal]:
    tier = None if order.throughput is None else tier_of(order.throughput)
    if tier is None:
        return
    gib, what = order.size_gib, f"Managed Lustre with {tier.throughput} MB/s per TiB"
    if gib is None:
        yield _SIZE_GIVEN.refuse(
            "size_gib",
            reason=f"no size is specified, and {what} is sold in multiples of {tier.step_gib:,} GiB",
            changes={"size_gib": tier.step_gib},
            advice="or mount an existing file system",
        )
        return
    sure = "max_gib" not in tier.unsure
    if gib > tier.max_gib:
        yield _MAXIMUM.refuse(
            "size_gib",
            reason=f"{what} supports at most {tier.max_gib:,} GiB, not {gib:,.10g}",
            changes={"size_gib": tier.max_gib},
            advice="or use several file systems",
            conflicts_with="throughput",
            level=None if sure else Level.WARNING,
        )
    if not tier.allows(gib) and not (sure and gib > tier.max_gib):
        yield _step(tier, gib, what)


def _step(tier: LustreTier, gib: float, what: str) -> Refusal:
    *below, above = nearest_sizes(tier, gib)
    where = f" above {tier.threshold_gib:,}" if tier.threshold_gib is not None and gib > tier.threshold_gib else ""
    return _STEP.refuse(
        "size_gib",
        reason=f"{what} is sold in multiples of {tier.step(gib):,} GiB{where}, and {gib:,.10g} GiB is not a multiple",
        changes={"size_gib": above},
        alternative={"size_gib": below[0]} if below else {},
        conflicts_with="throughput",
    )


@cache
def tiers() -> tuple[LustreTier, ...]:
    """Return all tiers by ascending throughput."""
    return tuple(LustreTier(**record) for record in facts_of_kind("tier"))


def tier_of(throughput: float) -> LustreTier | None:
    return next((tier for tier in tiers() if tier.throughput == throughput), None)


def is_sold(zone: str) -> bool | None:
    """Return whether Managed Lustre is available in a zone, or None if this is unknown."""
    for record in facts_of_kind("zones"):
        if zone in record["zones"].split():
            return True
        if zone.startswith(f"{record['region']}-"):
            return None if "zones" in record.get("unsure", ()) else False
    return None


def services_prefix() -> int:
    """Return the maximum prefix length of a range for Google's services that has room for a file system."""
    return limit("longest_prefix")


def growth_limit_gib(tier: LustreTier, made_gib: float) -> int:
    """Return the maximum capacity in GiB that a file system created with `made_gib` GiB can grow to."""
    small = tier.threshold_gib is not None and made_gib <= tier.threshold_gib
    return tier.threshold_gib if small and tier.threshold_gib else tier.max_gib


def nearest_sizes(tier: LustreTier, gib: float) -> tuple[int, ...]:
    """Return the offered capacities nearest to `gib`, in ascending order.

    If the tier offers `gib` itself, return only that capacity. Otherwise return the next smaller capacity, if any,
    and the next larger one.
    """
    if tier.allows(gib):
        return (int(gib),)
    step = tier.step(gib)
    below = int(gib // step) * step if gib > 0 else 0
    if tier.threshold_gib is not None and gib > tier.threshold_gib > below:
        below = tier.threshold_gib
    above = int(gib // step + 1) * step
    return (*([below] if below else []), above)


def limit(key: str) -> int:
    return next(record["value"] for record in facts_of_kind("limit") if record["key"] == key)
