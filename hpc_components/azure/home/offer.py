import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hpc_components.azure.catalog.networks import subnet_need
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.wording import any_of

Service = Literal["files", "netapp"]

_TITLES: dict[Service, str] = {"files": "Azure Files", "netapp": "NetApp Files"}

_GIB_OF_TIB = 1024

_SIZE_GIVEN = Limit(
    id="HPC-NAF-001",
    title="A new NFS share or volume must specify a size",
    source='Azure Files documentation, "Understand Azure Files billing", provisioned; Azure NetApp Files'
    ' documentation, "Resource limits"',
)
_SIZE = Limit(
    id="HPC-NAF-002",
    title="The size of an NFS file system must be a whole number of GiB within the range that its service offers",
    why="Azure Files offers 100 GiB to 100 TiB, and NetApp Files 50 GiB to 100 TiB.",
    source='Azure Files documentation, "Scalability and performance targets"; Azure NetApp Files documentation,'
    ' "Resource limits"',
)
_LEVEL = Limit(
    id="HPC-NAF-003",
    title="`level` can be set only for NetApp Files",
    source='Azure NetApp Files documentation, "Service levels"',
)
_KEPT_DAYS = Limit(
    id="HPC-NAF-004",
    title="NetApp Files snapshots must be kept for 1 to 255 whole days, and deleted Azure Files shares for 1 to 365",
    source='Azure NetApp Files documentation, "Resource limits"; Azure Files documentation, "Accidental delete'
    ' protection with soft delete"',
)
_SUBNET = Limit(
    id="HPC-NAF-005",
    title="For NetApp Files, an existing network must have a delegated subnet of at least /28",
    source='Azure NetApp Files documentation, "Delegate a subnet" and "Guidelines for network planning"',
)
_KEPT_BY_SERVICE = Limit(
    id="HPC-NAF-009",
    title="`snapshots` can be set only for NetApp Files, and `deleted_share_retention` only for Azure Files",
    why="Azure Backup takes no snapshots of NFS shares, so `snapshots` would promise protection that an Azure "
    "Files share doesn't have.",
    source='azure-docs, articles/backup/azure-file-share-support-matrix.md (2026-02-17): "Azure Backup currently'
    " doesn't support file shares with the NFS (Network File System) protocol\"; Azure Files documentation,"
    ' "Accidental delete protection with soft delete": of file shares only',
)

LIMITS = (_SIZE_GIVEN, _SIZE, _LEVEL, _KEPT_DAYS, _SUBNET, _KEPT_BY_SERVICE)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeOrder:
    """An order for a home file system. A field is None if it is not specified, or unknown until deployment."""

    service: Service
    size_gib: float | None = None
    large: bool = False
    """Whether the volume is a large NetApp Files volume, which our components don't create."""
    level: str | None = None
    """NetApp Files service level: `standard`, `premium` or `ultra`."""
    snapshot_days: float | None = None
    """Number of days for which daily snapshots are kept; NetApp Files only."""
    deleted_share_days: float | None = None
    """Number of days for which a deleted share is kept; Azure Files only."""
    subnet: bool | None = None
    """Whether the network has a subnet for NetApp Files."""
    subnet_prefix: int | None = None


def refusals(order: HomeOrder) -> Iterator[Refusal]:
    yield from _size(order)
    yield from _level(order)
    yield from _kept(order)
    if order.service == "netapp":
        yield from _subnet(order)


def _size(order: HomeOrder) -> Iterator[Refusal]:
    title, sold, gib = _TITLES[order.service], sizes(order.service, large=order.large), order.size_gib
    least, most = sold[0], sold[-1]
    if gib is None:
        reason = f"no size is specified, but {title} requires at least {least} GiB"
        yield _SIZE_GIVEN.refuse(
            "size_gib", reason=reason, changes={"size_gib": _GIB_OF_TIB}, advice="or mount an existing file system"
        )
    elif not least <= gib <= most:
        reason = f"{title} offers sizes from {least} GiB to {most // _GIB_OF_TIB:,} TiB"
        yield _SIZE.refuse("size_gib", reason=reason, changes={"size_gib": least if gib < least else most})
    elif gib != int(gib):
        reason = f"the size is {gib:.2f} GiB, but Azure offers only whole GiB"
        yield _SIZE.refuse("size_gib", reason=reason, changes={"size_gib": int(gib) + 1})


def _level(order: HomeOrder) -> Iterator[Refusal]:
    if order.level is not None and order.service == "files":
        yield _LEVEL.refuse(
            "level",
            reason="Azure Files has no service levels: the throughput depends only on the size",
            changes={"level": None},
            alternative={"service": "netapp"},
            conflicts_with="service",
        )
    elif order.level is not None and order.level not in netapp_levels():
        known = any_of(netapp_levels())
        yield _LEVEL.refuse("level", reason="NetApp Files has no such service level", advice=f"use {known}")


def _kept(order: HomeOrder) -> Iterator[Refusal]:
    if order.service == "files" and order.snapshot_days is not None:
        yield _KEPT_BY_SERVICE.refuse(
            "snapshot_days",
            reason="Azure takes no daily snapshots of NFS shares, so a deleted file can't be restored",
            changes={"snapshot_days": None},
            alternative={"service": "netapp"},
            advice="{deleted_share_days} protects only against deletion of the whole share",
            conflicts_with="service",
        )
    if order.service == "netapp" and order.deleted_share_days is not None:
        yield _KEPT_BY_SERVICE.refuse(
            "deleted_share_days",
            reason="NetApp Files can't restore deleted volumes",
            changes={"deleted_share_days": None},
            advice="use {snapshot_days} to keep daily snapshots of the volume",
            conflicts_with="service",
        )
    field = "deleted_share_days" if order.service == "files" else "snapshot_days"
    days, most = getattr(order, field), _most_days(order.service)
    if days is not None and days not in range(1, most + 1):
        yield _KEPT_DAYS.refuse(
            field,
            reason=f"{_TITLES[order.service]} accepts only a whole number of days from 1 to {most}",
            changes={field: max(1, min(most, round(days)))},
            advice="or keep none",
        )


def _subnet(order: HomeOrder) -> Iterator[Refusal]:
    need = subnet_need("netapp")
    assert need is not None, "the catalogue must list the subnet requirements of NetApp Files"
    size = f"at least /{need.longest_prefix}"
    if order.subnet is False:
        yield _SUBNET.refuse(
            "subnet",
            reason="the network has no subnet for NetApp Files",
            alternative={"service": "files"},
            advice=f"add {{subnet}}, a subnet of {size}, delegated to {need.delegation}",
            conflicts_with="service",
        )
    if order.subnet_prefix is not None and order.subnet_prefix > need.longest_prefix:
        reason = f"NetApp Files requires a subnet of at least /{need.longest_prefix}"
        yield _SUBNET.refuse("subnet_prefix", reason=reason, advice=f"use {size}")


def sizes(service: Service, *, large: bool = False) -> range:
    """Return the range of capacities, in GiB, that the service offers. `large` selects large NetApp Files volumes."""
    record = next(record for record in facts_of_kind("service") if record["type"] == service)
    most = facts_of_kind("large_volume")[0]["max_gib"] if large else record["max_gib"]
    return range(record["min_gib"], most + 1)


def _most_days(service: Service) -> int:
    return next(record["max_days"] for record in facts_of_kind("kept") if record["type"] == service)


def netapp_levels() -> tuple[str, ...]:
    """Return the service levels of NetApp Files, slowest first."""
    return tuple(record["name"] for record in facts_of_kind("level"))


def netapp_pool_tib(size_gib: float) -> int:
    """Return the size, in TiB, of the smallest pool that can hold a volume of this size. Azure charges for the whole
    pool, not for the volume.
    """
    return max(1, math.ceil(size_gib / _GIB_OF_TIB))


MIBPS_SOURCES: Mapping[Service, str] = {
    "files": "Azure Files documentation, Understand Azure Files billing, provisioned v1",
    "netapp": "Azure NetApp Files documentation, Service levels",
}
"""Pages that state what `mibps` returns."""


def mibps(service: Service, size_gib: float, level: str | None = None) -> float:
    """Return the throughput in MiB/s at this size and, for NetApp Files, at this service level (default: `premium`).

    That of Azure Files is 100 MiB/s plus 4 % and 6 % of the size in GiB, each rounded up. Raise KeyError if the level
    is unknown. Source: `MIBPS_SOURCES`.
    """
    if service == "files":
        return 100 + math.ceil(0.04 * size_gib) + math.ceil(0.06 * size_gib)
    by_level = {record["name"]: record["mibps_per_tib"] for record in facts_of_kind("level")}
    return by_level[level or "premium"] * size_gib / _GIB_OF_TIB
