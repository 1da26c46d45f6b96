"""Azure Managed Lustre: what Azure offers, and what it refuses."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.azure.catalog.blob_urls import BlobUrl
from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.catalog.refusal import Refusal, Why

CHANGES = ("new", "changed", "deleted")

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """A performance tier; its capacities are the multiples of a step."""

    sku: str
    """Name, such as `AMLFS-Durable-Premium-250`."""
    throughput: int
    """Throughput in MB/s per TiB."""
    step_tib: int
    """Step of capacities in TiB, which is also the minimum."""
    max_tib: int
    """Maximum capacity in TiB without a support request."""
    raised_max_tib: int
    """Maximum capacity in TiB after a support request."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def allows(self, tib: float) -> bool:
        """Return whether the capacity is a multiple of the step; limits are not considered."""
        return tib > 0 and tib % self.step_tib == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """An order of a file system. None means not given, or unknown until another resource exists."""

    throughput: float | None = None
    """Throughput in MB/s per TiB."""
    size_tib: float | None = None
    zones: int | None = None
    """Number of its zones; 0 if the region has none."""
    subnet_prefix: int | None = None
    """Prefix length of its subnet."""
    maintenance: str | None = None
    """Start of the maintenance window (UTC), such as `Sunday 03:00`."""


@dataclass(frozen=True, slots=True)
class MaintenanceWindow:
    """Start of the weekly maintenance."""

    day: str
    """Day, such as `Sunday`."""
    time_utc: str
    """Time, such as `03:00`."""


@cache
def lustre_tiers() -> tuple[LustreTier, ...]:
    """Return all tiers, in ascending order of throughput."""
    return tuple(LustreTier(**record) for record in of_kind("lustre"))


def lustre_tier(throughput: float) -> LustreTier | None:
    """Return the tier with this throughput (MB/s per TiB); None if there is no such tier."""
    return next((tier for tier in lustre_tiers() if tier.throughput == throughput), None)


def lustre_refusals(order: LustreOrder) -> Iterator[Refusal]:
    """Yield what Managed Lustre would refuse in a new file system, by field of the order.

    Required fields that are not given are `missing`. For a size above `LustreTier.max_tib`, `because_of` is `quota`:
    a support request raises it, as far as is known up to `raised_max_tib`. For `subnet_prefix`, `allowed` holds the
    longest prefix that suffices, according to Azure's rough estimate.

    Source: Azure Managed Lustre documentation, "Create a file system", throughput configurations, and
    "Prerequisites", network size requirements; REST API reference, Aml Filesystems: one zone.
    """
    tier = None if order.throughput is None else lustre_tier(order.throughput)
    sold = tuple(each.throughput for each in lustre_tiers())
    if tier is None:
        why = Why.MISSING if order.throughput is None else Why.NOT_SOLD
        yield Refusal(field="throughput", why=why, allowed=sold)
    else:
        yield from _size(order, tier)
    if order.zones is not None and order.zones > 1:
        yield Refusal(field="zones", why=Why.NOT_SOLD, allowed=(1,))
    if order.size_tib is not None and order.size_tib > 0 and order.subnet_prefix is not None:
        needed = lustre_subnet_prefix(order.size_tib)
        if order.subnet_prefix > needed:
            yield Refusal(field="subnet_prefix", why=Why.NOT_SOLD, because_of="size_tib", allowed=(needed,))
    if order.maintenance is not None and maintenance_window(order.maintenance) is None:
        yield Refusal(field="maintenance", why=Why.UNKNOWN, allowed=_DAYS)


def link_refusals(container: BlobUrl, log: BlobUrl) -> Iterator[Refusal]:
    """Yield what Managed Lustre would refuse in a link: it needs two containers of the same account.

    The fields are `bucket` and `log_bucket`, as in the description. The URL does not show the account's region or
    roles.

    Source: Azure Managed Lustre documentation, "Prerequisites", blob integration.
    """
    if log.prefix:
        yield Refusal(field="log_bucket", why=Why.NOT_SOLD, allowed=(str(log.whole),))
    if container.host != log.host:
        yield Refusal(field="log_bucket", why=Why.NOT_TAKEN, because_of="bucket", allowed=(container.account,))
    elif container.container == log.container:
        yield Refusal(field="log_bucket", why=Why.NOT_TAKEN, because_of="bucket")


def change_refusals(auto_import: Sequence[str], auto_export: Sequence[str]) -> Iterator[Refusal]:
    """Yield what Managed Lustre would refuse in the changes to copy automatically.

    The fields are `auto_import` and `auto_export`, as in the description. An import always includes new objects, an
    export has new and changed files together, and only one direction is allowed.

    Source: Azure Managed Lustre documentation, "Auto-import" (conflict modes, deletions) and "Auto-export".
    """
    both = {"auto_import": auto_import, "auto_export": auto_export}
    for field, changes in both.items():
        if not {*changes} <= {*CHANGES}:
            yield Refusal(field=field, why=Why.UNKNOWN, allowed=CHANGES)
    if auto_import and "new" not in auto_import:
        yield Refusal(field="auto_import", why=Why.NOT_SOLD, allowed=("new", *auto_import))
    if {*auto_export} not in ({*()}, {"new", "changed"}):
        yield Refusal(field="auto_export", why=Why.NOT_SOLD, allowed=("new", "changed"))
    if auto_import and auto_export:
        yield Refusal(field="auto_import", why=Why.NOT_TAKEN, because_of="auto_export")


def lustre_sold(region: str) -> bool | None:
    """Return True if Azure Managed Lustre is offered in a region; None if no source says so, as for most regions."""
    return True if any(region in record["offered"] for record in of_kind("lustre_regions")) else None


def lustre_subnet_prefix(size_tib: float) -> int:
    """Return the longest subnet prefix with room for a file system of this size: 26 for 24 TiB."""
    steps = sorted((record["max_tib"], int(record["key"])) for record in of_kind("lustre_subnet"))
    return next((prefix for most, prefix in steps if size_tib <= most), steps[-1][1] - 1)


def nearest_lustre_sizes(tier: LustreTier, tib: float) -> tuple[int, ...]:
    """Return the offered capacities nearest to a wanted one, ascending: itself, or the next smaller and larger
    ones."""
    if tier.allows(tib):
        return (int(tib),)
    below = int(tib // tier.step_tib) * tier.step_tib if tib > 0 else 0
    return (*([below] if below else []), below + tier.step_tib)


def maintenance_window(text: str) -> MaintenanceWindow | None:
    """Parse text such as `Sunday 03:00`; return None if it is not a day and a time."""
    match = re.fullmatch(rf"({'|'.join(_DAYS)}) ((?:[01]\d|2[0-3]):[0-5]\d)", text)
    return MaintenanceWindow(match[1], match[2]) if match else None


def _size(order: LustreOrder, tier: LustreTier) -> Iterator[Refusal]:
    tib = order.size_tib
    if tib is None:
        yield Refusal(field="size_tib", why=Why.MISSING, allowed=(tier.step_tib,))
    elif not tier.allows(tib):
        yield Refusal(field="size_tib", why=Why.NOT_SOLD, allowed=nearest_lustre_sizes(tier, tib))
    elif tib > tier.raised_max_tib:
        yield Refusal(field="size_tib", why=Why.NOT_SOLD, because_of="quota", allowed=(tier.raised_max_tib,))
    elif tib > tier.max_tib:
        yield Refusal(field="size_tib", why=Why.NOT_SOLD, because_of="quota", allowed=(tier.max_tib,))
