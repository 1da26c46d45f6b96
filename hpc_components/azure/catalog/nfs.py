"""What Azure Files (NFS) and NetApp Files sell, decided in one place."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.azure.catalog.limits import service_limit
from hpc_components.azure.catalog.networks import subnet_need
from hpc_components.catalog.refusal import Refusal, Why

__all__ = [
    "NfsOrder", "netapp_levels", "netapp_mibps", "netapp_pool_tib", "nfs_mibps", "nfs_refusals", "nfs_sizes",
    "wrong_files_export",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class NfsOrder:
    """A file system over NFS as one orders it. None is what is not given, or not known before something is made."""

    service: Literal["files", "netapp"]
    size_gib: float | None = None
    level: str | None = None
    """Service level of NetApp Files: `standard`, `premium` or `ultra`."""
    snapshot_days: float | None = None
    """Days for which daily snapshots are kept, for NetApp Files."""
    deleted_share_days: float | None = None
    """Days for which a deleted share is kept, for Azure Files."""
    subnet_prefix: int | None = None
    """Prefix length of the range of the delegated subnet, for NetApp Files."""


def nfs_refusals(order: NfsOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a new file system, by the names of the order's fields.

    Azure makes no daily snapshots of NFS shares: "Azure Backup currently doesn't support file shares with the NFS
    (Network File System) protocol" (azure-docs, articles/backup/azure-file-share-support-matrix.md, 2026-02-17).
    Source: Azure Files documentation, "Scalability and performance targets" and "Enable soft delete"; Azure NetApp
    Files documentation, "Resource limits", "Service levels" and "Guidelines for network planning".
    """
    sizes = nfs_sizes(order.service)
    if order.size_gib is None:
        yield Refusal(field="size_gib", why=Why.MISSING, allowed=sizes)
    elif order.size_gib != int(order.size_gib) or int(order.size_gib) not in sizes:
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=sizes)
    netapp = order.service == "netapp"
    if order.level is not None and not netapp:
        yield Refusal(field="level", why=Why.NOT_TAKEN, because_of="service")
    elif order.level is not None and order.level not in netapp_levels():
        yield Refusal(field="level", why=Why.UNKNOWN, allowed=netapp_levels())
    yield from _kept_days("snapshot_days", order.snapshot_days, "netapp.snapshots", taken=netapp)
    yield from _kept_days("deleted_share_days", order.deleted_share_days, "files.soft_delete_days", taken=not netapp)
    need = subnet_need("netapp")
    if netapp and need and order.subnet_prefix is not None and order.subnet_prefix > need.longest_prefix:
        yield Refusal(field="subnet_prefix", why=Why.NOT_SOLD, allowed=(need.longest_prefix,))


def _kept_days(field: str, days: float | None, limit: str, *, taken: bool) -> Iterator[Refusal]:
    kept = range(1, service_limit(limit) + 1)
    if days is not None and not taken:
        yield Refusal(field=field, why=Why.NOT_TAKEN, because_of="service")
    elif days is not None and days not in kept:
        yield Refusal(field=field, why=Why.NOT_SOLD, allowed=kept)


def nfs_sizes(service: Literal["files", "netapp"]) -> range:
    """The capacities in GiB: of a premium share of Azure Files, or of a volume of NetApp Files."""
    record = next(record for record in of_kind("nfs") if record["type"] == service)
    return range(record["min_gib"], record["max_gib"] + 1)


def netapp_levels() -> tuple[str, ...]:
    """The service levels, the slowest first."""
    return tuple(record["name"] for record in of_kind("netapp_level"))


def netapp_mibps(level: str, size_gib: float) -> float:
    """MiB/s of a volume, which follow from its size and level. KeyError: there is no such level."""
    return {r["name"]: r["mibps_per_tib"] for r in of_kind("netapp_level")}[level] * size_gib / 1024


def netapp_pool_tib(size_gib: float) -> int:
    """The capacity in TiB of the smallest pool that holds a volume of that size; the pool is what is paid for."""
    return max(1, math.ceil(size_gib / 1024))


def nfs_mibps(service: Literal["files", "netapp"], size_gib: float, level: str | None = None) -> float:
    """MiB/s of a file system, which follow from its size; of NetApp Files from its level too, `premium` by default.

    Source: Azure Files documentation, "Understand Azure Files billing", provisioned v1: 100 MiB/s, and a tenth of the
    GiB, in two parts rounded up; Azure NetApp Files documentation, "Service levels".
    """
    if service == "netapp":
        return netapp_mibps(level or "premium", size_gib)
    return 100 + math.ceil(0.04 * size_gib) + math.ceil(0.06 * size_gib)


def wrong_files_export(server: str, export: str) -> tuple[str, str] | None:
    """Reason and remedy where `export` can't be a share of the Azure Files account whose host is `server`.

    None for another host, of which nothing is known. Source: Azure Files documentation, "Mount an NFS Azure file
    share on Linux": the path is `/<account>/<share>`.
    """
    host = re.fullmatch(
        r"([a-z0-9]+)\.(?:privatelink\.)?file\.core\.(?:windows|usgovcloudapi|chinacloudapi)\.\w+", server
    )
    if host is None or re.fullmatch(rf"/{host[1]}/[^/]+(/.*)?", export):
        return None
    share = export.strip("/").rpartition("/")[2]
    return (
        f"Azure Files exports /{host[1]}/<share>, not {export}",
        f"write /{host[1]}/{share}" if share else f"write /{host[1]}/<share>",
    )
