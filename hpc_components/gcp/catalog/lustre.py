"""What Managed Lustre offers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.file_systems import of_kind
from hpc_components.gcp.catalog.limits import service_limit


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """One performance tier."""

    throughput: int
    """MB/s per TiB."""
    step_gib: int
    """Step between capacities up to the threshold, in GiB; also the smallest capacity."""
    threshold_gib: int | None
    """Capacity in GiB above which the larger step applies; None for a tier with one step."""
    large_step_gib: int | None
    """Step between capacities above the threshold, in GiB."""
    max_gib: int
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def step(self, gib: float) -> int:
        """Return the step that applies to this capacity."""
        large = self.threshold_gib is not None and gib > self.threshold_gib
        return self.large_step_gib if large and self.large_step_gib else self.step_gib

    def allows(self, gib: float) -> bool:
        """Return whether the capacity is a multiple of its step, regardless of the maximum."""
        return gib > 0 and gib % self.step(gib) == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """A file system as ordered; None is what is not given, or not known yet."""

    throughput: float | None = None
    """MB/s per TiB."""
    size_gib: float | None = None
    grows_from_gib: float | None = None
    """Capacity with which it was made, where it is there already."""
    services_prefix: int | None = None
    """Prefix length of the range that is lent to Google's services."""


@cache
def lustre_tiers() -> tuple[LustreTier, ...]:
    """Return all tiers, by ascending throughput."""
    return tuple(LustreTier(**record) for record in of_kind("lustre"))


def lustre_tier(throughput: float) -> LustreTier | None:
    """Return the tier with that throughput in MB/s per TiB; None if it does not exist."""
    return next((tier for tier in lustre_tiers() if tier.throughput == throughput), None)


def lustre_refusals(order: LustreOrder) -> Iterator[Refusal]:
    """What Managed Lustre would refuse of a file system, by the names of the order's fields.

    What is not given is `missing` where Google wants it. A size above the tier's largest has that in `allowed`; above
    what one made so small can grow to, it is refused `because_of` `grows_from_gib`, as is a smaller one than before.
    Source: Managed Lustre documentation, "Performance tiers", "Increase capacity" and "Configure a VPC network".
    """
    tier = None if order.throughput is None else lustre_tier(order.throughput)
    if tier is None:
        why = Why.MISSING if order.throughput is None else Why.NOT_SOLD
        yield Refusal(field="throughput", why=why, allowed=tuple(each.throughput for each in lustre_tiers()))
    else:
        yield from _size(order, tier)
    needed = lustre_services_prefix()
    if order.services_prefix is not None and order.services_prefix > needed:
        yield Refusal(field="services_prefix", why=Why.NOT_SOLD, allowed=(needed,))


def lustre_sold(zone: str) -> bool | None:
    """Return whether Managed Lustre is offered in a zone; None if no source says."""
    for record in of_kind("lustre_zones"):
        if zone in record["zones"].split():
            return True
        if zone.startswith(f"{record['region']}-"):
            return None if "zones" in record.get("unsure", ()) else False
    return None


def lustre_services_prefix() -> int:
    """Return the longest prefix of a range for Google's services that has room for a file system."""
    return service_limit("lustre.longest_prefix")


def growth_limit_gib(tier: LustreTier, made_gib: float) -> int:
    """Return the capacity in GiB up to which a file system of this initial capacity can grow."""
    small = tier.threshold_gib is not None and made_gib <= tier.threshold_gib
    return tier.threshold_gib if small and tier.threshold_gib else tier.max_gib


def nearest_lustre_sizes(tier: LustreTier, gib: float) -> tuple[int, ...]:
    """Return the capacities on sale next to a wanted one, ascending: itself, or the next below (if any) and above."""
    if tier.allows(gib):
        return (int(gib),)
    step = tier.step(gib)
    below = int(gib // step) * step if gib > 0 else 0
    if tier.threshold_gib is not None and gib > tier.threshold_gib > below:
        below = tier.threshold_gib
    above = int(gib // step + 1) * step
    return (*([below] if below else []), above)


def _size(order: LustreOrder, tier: LustreTier) -> Iterator[Refusal]:
    gib, before = order.size_gib, order.grows_from_gib
    if gib is None:
        yield Refusal(field="size_gib", why=Why.MISSING, allowed=(tier.step_gib,))
    elif not tier.allows(gib):
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=nearest_lustre_sizes(tier, gib))
    elif gib > tier.max_gib:
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=(tier.max_gib,))
    elif before is not None and not before <= gib <= growth_limit_gib(tier, before):
        limits = (int(before), growth_limit_gib(tier, before))
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, because_of="grows_from_gib", allowed=limits)
