import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hpc_components.azure.catalog.blob_urls import blob_url, wrong_blob_url
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.wording import any_of

CHANGES = ("new", "changed", "deleted")
_EXPORTED = ("new", "changed")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_SIZE_GIVEN = Limit(
    id="HPC-AML-001",
    title="A new Managed Lustre file system must specify a size",
    why="The size can't be changed later.",
    source='Azure Managed Lustre documentation, "Create a file system", throughput configurations',
)
_SIZE = Limit(
    id="HPC-AML-002",
    title="The size of a Lustre file system must be a multiple of its throughput tier's step",
    source='Azure Managed Lustre documentation, "Create a file system", throughput configurations',
)
_QUOTA = Limit(
    id="HPC-AML-003",
    title="A Lustre file system should not be larger than Azure allows without a support request",
    source='Azure Managed Lustre documentation, "Create a file system"; CycleCloud Workspace for Slurm, for the limit'
    " after a request",
    level=Level.WARNING,
)
_SUBNET = Limit(
    id="HPC-AML-006",
    title="A Lustre file system's subnet should have enough addresses for its servers",
    why="Azure calls its figures for subnet sizes a rough estimate.",
    source='Azure Managed Lustre documentation, "Prerequisites", network size requirements',
    level=Level.WARNING,
)
_MAINTENANCE = Limit(
    id="HPC-AML-008",
    title="The maintenance window of a Lustre file system must specify a day and a time",
    source="Azure REST API reference, Aml Filesystems - Create Or Update, maintenanceWindow",
)
_CONTAINER = Limit(
    id="HPC-AML-011",
    title="A link must specify its containers as `https://<account>.blob.core.windows.net/<container>`",
    source='Azure Storage documentation, "Naming and referencing containers, blobs, and metadata"',
)
_LOG = Limit(
    id="HPC-AML-012",
    title="A link must write its log to a different container in the same storage account",
    source='Azure Managed Lustre documentation, "Prerequisites", blob integration',
)
_CHANGES = Limit(
    id="HPC-AML-013",
    title="A link can copy changes automatically in only one direction: imports or exports",
    why="Automatic imports always include new objects; automatic exports always include both new and changed files.",
    source='Azure Managed Lustre documentation, "Auto-import" (conflict modes, deletions) and "Auto-export"',
)

LIMITS = (_SIZE_GIVEN, _SIZE, _QUOTA, _SUBNET, _MAINTENANCE, _CONTAINER, _LOG, _CHANGES)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """A performance tier. Its capacities are multiples of a fixed step."""

    sku: str
    """Name of the tier, such as `AMLFS-Durable-Premium-250`."""
    throughput: int
    """Throughput in MB/s per TiB."""
    step_tib: int
    """Capacity increment in TiB, which is also the minimum capacity."""
    max_tib: int
    """Maximum capacity in TiB without a support request."""
    raised_max_tib: int
    """Maximum capacity in TiB after a support request."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def allows(self, tib: float) -> bool:
        """Return whether the capacity is a positive multiple of the step. The maximum capacity is not checked."""
        return tib > 0 and tib % self.step_tib == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """An order for a file system. A field is None if it is unspecified or not known before deployment."""

    throughput: float
    """Throughput in MB/s per TiB."""
    size_tib: float | None = None
    subnet_prefix: int | None = None
    """Prefix length of an existing subnet."""
    new_subnet_prefix: int | None = None
    """Prefix length of the subnet in a new network, which depends on the size of the network."""
    maintenance: str | None = None
    """Start of the weekly maintenance window (UTC), such as `Sunday 03:00`."""
    bucket: str | None = None
    """URL of the linked container, with or without a prefix."""
    log_bucket: str | None = None
    """URL of the container that receives the log of imports and exports."""
    auto_import: Sequence[str] = ()
    auto_export: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MaintenanceWindow:
    day: str
    """Day of the week, such as `Sunday`."""
    time_utc: str
    """Time of day in UTC, such as `03:00`."""


def refusals(order: LustreOrder) -> Iterator[Refusal]:
    tier = lustre_tier(order.throughput)
    if tier is None:
        known = any_of(f"{each.throughput}" for each in lustre_tiers())
        reason = f"Managed Lustre has no tier with {order.throughput:g} MB/s per TiB"
        yield _SIZE.refuse("throughput", reason=reason, advice=f"use {known}")
    else:
        yield from _size(order.size_tib, tier)
    yield from _subnet(order)
    if order.maintenance is not None and maintenance_window(order.maintenance) is None:
        begins = (each for each in _DAYS if each[:2].lower() == order.maintenance[:2].lower())
        reason = f"{order.maintenance!r} is not a day and a time (UTC)"
        yield _MAINTENANCE.refuse(
            "maintenance", reason=reason, changes={"maintenance": f"{next(begins, 'Sunday')} 03:00"}
        )
    yield from _containers(order)
    yield from _changes(order)


def _size(tib: float | None, tier: LustreTier) -> Iterator[Refusal]:
    if tib is None:
        yield _SIZE_GIVEN.refuse(
            "size_tib",
            reason="the file system has no size",
            changes={"size_tib": tier.step_tib},
            advice="or use a multiple of that size, or mount an existing file system",
        )
    elif not tier.allows(tib):
        *below, above = nearest_sizes(tier, tib)
        yield _SIZE.refuse(
            "size_tib",
            reason=f"with {tier.throughput} MB/s per TiB, Managed Lustre offers only multiples of {tier.step_tib} "
            f"TiB, and {tib:.4g} TiB is not one",
            changes={"size_tib": above},
            alternative={"size_tib": below[0]} if below else None,
        )
    elif tib > tier.max_tib:
        raisable = tib <= tier.raised_max_tib
        most = tier.max_tib if raisable else tier.raised_max_tib
        yield _QUOTA.refuse(
            "size_tib",
            reason=f"a file system with {tier.throughput} MB/s per TiB can have at most {most} TiB"
            + (" without a support request" if raisable else ", according to the catalogue"),
            changes={"size_tib": most},
            advice=f"or ask Azure support for {tib:g} TiB in this region first"
            if raisable
            else "or use several file systems",
        )


def _subnet(order: LustreOrder) -> Iterator[Refusal]:
    if not order.size_tib:
        return
    needed = subnet_prefix(order.size_tib)
    reason = f"a file system of {order.size_tib:g} TiB needs at least a /{needed} subnet, but its subnet is smaller"
    if order.subnet_prefix is not None and order.subnet_prefix > needed:
        advice = f"use at least a /{needed} subnet, or a smaller file system"
        yield _SUBNET.refuse("subnet_prefix", reason=reason, advice=advice, conflicts_with="size_tib")
    if order.new_subnet_prefix is not None and order.new_subnet_prefix > needed:
        changes = {"new_subnet_prefix": needed}
        yield _SUBNET.refuse(
            "new_subnet_prefix", reason=reason, changes=changes, advice="or use a smaller file system"
        )


def _containers(order: LustreOrder) -> Iterator[Refusal]:
    given = {"bucket": order.bucket, "log_bucket": order.log_bucket}
    for field, text in given.items():
        if text is not None and (wrong := wrong_blob_url(text)):
            yield _CONTAINER.refuse(field, reason=wrong[0], advice=wrong[1])
    data, log = (blob_url(text) if text else None for text in given.values())
    if data is None or log is None:
        return
    if log.prefix:
        yield _LOG.refuse(
            "log_bucket",
            reason="the log requires a whole container, so its URL must not contain a prefix",
            changes={"log_bucket": str(log.whole)},
        )
    if data.host != log.host:
        yield _LOG.refuse(
            "log_bucket",
            reason=f"the log container is not in the storage account that contains the data, {data.account}",
            advice=f"use a container in {data.account}",
            conflicts_with="bucket",
        )
    elif data.container == log.container:
        yield _LOG.refuse(
            "log_bucket",
            reason="the log and the data are in the same container",
            advice="use another container in the same account",
            conflicts_with="bucket",
        )


def _changes(order: LustreOrder) -> Iterator[Refusal]:
    known = {"auto_import": CHANGES, "auto_export": _EXPORTED}
    for field, changes in {"auto_import": order.auto_import, "auto_export": order.auto_export}.items():
        if unknown := sorted({*changes} - {*known[field]}):
            reason = f"{unknown[0]!r} is not a change that Azure copies"
            yield _CHANGES.refuse(field, reason=reason, advice=f"use {any_of(known[field])}")
    if order.auto_import and "new" not in order.auto_import:
        changes = {"auto_import": ("new", *order.auto_import)}
        yield _CHANGES.refuse("auto_import", reason="automatic imports always include new objects", changes=changes)
    if {*order.auto_export} and {*order.auto_export} < {*_EXPORTED}:
        yield _CHANGES.refuse(
            "auto_export",
            reason="Azure can't export only new files or only changed files",
            changes={"auto_export": _EXPORTED},
            alternative={"auto_export": ()},
        )
    if order.auto_import and order.auto_export:
        yield _CHANGES.refuse(
            "auto_import",
            reason="a link can't both import and export automatically; the default is to export",
            changes={"auto_export": ()},
            alternative={"auto_import": ()},
            conflicts_with="auto_export",
        )


@cache
def lustre_tiers() -> tuple[LustreTier, ...]:
    """Return all tiers, in ascending order of throughput."""
    return tuple(LustreTier(**record) for record in facts_of_kind("tier"))


def lustre_tier(throughput: float) -> LustreTier | None:
    """Return the tier with this throughput in MB/s per TiB, or None if there is no such tier."""
    return next((tier for tier in lustre_tiers() if tier.throughput == throughput), None)


def is_offered(region: str) -> bool | None:
    """Return True if the region is known to offer Azure Managed Lustre, or None if the catalogue has no information,
    as is the case for most regions.
    """
    return True if any(region in record["offered"] for record in facts_of_kind("regions")) else None


def subnet_prefix(size_tib: float) -> int:
    """Return the prefix length of the smallest subnet with enough addresses for this capacity, e.g. 26 for 24 TiB."""
    steps = sorted((record["max_tib"], record["prefix"]) for record in facts_of_kind("subnet"))
    return next((prefix for most, prefix in steps if size_tib <= most), steps[-1][1] - 1)


def nearest_sizes(tier: LustreTier, tib: float) -> tuple[int, ...]:
    """Return the offered capacities nearest to `tib`: `tib` itself if it is offered, otherwise the next smaller and
    larger ones.
    """
    if tier.allows(tib):
        return (int(tib),)
    below = int(tib // tier.step_tib) * tier.step_tib if tib > 0 else 0
    return (*([below] if below else []), below + tier.step_tib)


def maintenance_window(text: str) -> MaintenanceWindow | None:
    """Parse text such as `Sunday 03:00`. Return None if the text is malformed."""
    match = re.fullmatch(rf"({'|'.join(_DAYS)}) ((?:[01]\d|2[0-3]):[0-5]\d)", text)
    return MaintenanceWindow(match[1], match[2]) if match else None
