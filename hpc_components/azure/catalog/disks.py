"""Managed disks: which ones Azure offers, and what it refuses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.azure.catalog.limits import service_limit
from hpc_components.azure.catalog.zones import has_zones
from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskType:
    """A type of managed disk; limits of settings that it does not have are None."""

    type: str
    """Name, such as `Premium_LRS`."""
    root: bool
    """Whether it can be a root disk."""
    min_gib: int
    max_gib: int
    billed_gib: Sequence[int] = ()
    """Billed sizes in GiB, ascending: a disk costs as much as the next larger one. Empty if every GiB is billed."""
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mbps: int | None = None
    max_mbps: int | None = None
    mbps_per_iops: float | None = None
    zonal: bool = False
    """Whether it requires a machine in a zone, in regions with zones."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskOrder:
    """An order of a managed disk. None means not given, or unknown until another resource exists."""

    type: str
    """Type, such as `PremiumV2_LRS`."""
    root: bool = False
    """Whether it is a root disk."""
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """Throughput in MB/s."""
    zone: str | None = None
    """Zone as in descriptions: `eastus-1`, or the region for no zone."""


@cache
def disk_types(*, root: bool = False) -> tuple[str, ...]:
    """Return the types of managed disks; with `root`, those that can be a root disk."""
    return tuple(record["type"] for record in of_kind("disk") if record["root"] or not root)


def disk_type(name: str) -> DiskType | None:
    """Return the type of managed disk with this name, such as `Premium_LRS`; None if it is unknown."""
    return next((DiskType(**record) for record in of_kind("disk") if record["type"] == name), None)


def disk_refusals(order: DiskOrder) -> Iterator[Refusal]:
    """Yield what Azure would refuse in a new disk, by field of the order.

    Source: Azure documentation, "Azure managed disk types" and "Deploy a Premium SSD v2", limitations.
    """
    kind = disk_type(order.type)
    if kind is None:
        yield Refusal(field="type", why=Why.UNKNOWN, allowed=disk_types())
        return
    if order.root and not kind.root:
        yield Refusal(field="type", why=Why.NOT_TAKEN, because_of="root", allowed=disk_types(root=True))
    most = service_limit("disks.root_gib") if order.root else kind.max_gib
    sizes = range(kind.min_gib, most + 1)
    if order.size_gib is not None and (order.size_gib != int(order.size_gib) or int(order.size_gib) not in sizes):
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=sizes)
    yield from _iops(order, kind)
    yield from _throughput(order, kind)
    if kind.zonal and order.zone is not None and has_zones(order.zone):
        yield Refusal(field="zone", why=Why.NOT_TAKEN, because_of="type")


def most_disk_iops(kind: DiskType, size_gib: float) -> int:
    """Return the maximum IOPS that can be ordered for a disk of this type and size; 0 if they can't be ordered."""
    if kind.min_iops is None or kind.max_iops is None:
        return 0
    return max(kind.min_iops, min(int(size_gib * (kind.iops_per_gib or 0)), kind.max_iops))


def most_disk_mbps(kind: DiskType, iops: float) -> int:
    """Return the maximum MB/s that can be ordered for a disk with these IOPS; 0 if they can't be ordered."""
    if kind.min_mbps is None or kind.max_mbps is None:
        return 0
    return max(kind.min_mbps, min(int(iops * (kind.mbps_per_iops or 0)), kind.max_mbps))


def billed_gib(kind: DiskType, size_gib: int) -> int:
    """Return the billed size in GiB: 128 for a Premium_LRS disk of 100 GiB."""
    return next((size for size in kind.billed_gib if size >= size_gib), size_gib)


def _iops(order: DiskOrder, kind: DiskType) -> Iterator[Refusal]:
    if order.iops is None:
        return
    if kind.min_iops is None or kind.max_iops is None:
        yield Refusal(field="iops", why=Why.NOT_TAKEN, because_of="type")
    elif not kind.min_iops <= order.iops <= kind.max_iops:
        yield Refusal(field="iops", why=Why.NOT_SOLD, allowed=range(kind.min_iops, kind.max_iops + 1))
    elif order.size_gib is not None and order.iops > (most := most_disk_iops(kind, order.size_gib)):
        allowed = range(kind.min_iops, most + 1)
        yield Refusal(field="iops", why=Why.NOT_SOLD, because_of="size_gib", allowed=allowed)


def _throughput(order: DiskOrder, kind: DiskType) -> Iterator[Refusal]:
    if order.throughput is None:
        return
    if kind.min_mbps is None or kind.max_mbps is None:
        yield Refusal(field="throughput", why=Why.NOT_TAKEN, because_of="type")
        return
    most = most_disk_mbps(kind, order.iops if order.iops is not None else kind.min_iops or 0)
    if not kind.min_mbps <= order.throughput <= kind.max_mbps:
        allowed = range(kind.min_mbps, kind.max_mbps + 1)
        yield Refusal(field="throughput", why=Why.NOT_SOLD, allowed=allowed)
    elif order.throughput > most:
        allowed = range(kind.min_mbps, most + 1)
        yield Refusal(field="throughput", why=Why.NOT_SOLD, because_of="iops", allowed=allowed)
