"""What managed disks are sold, decided in one place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.azure.catalog.file_systems import of_kind
from hpc_components.azure.catalog.limits import service_limit
from hpc_components.azure.catalog.zones import has_zones
from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskType:
    """One kind of managed disk; None where it takes no such setting."""

    type: str
    """As in `Premium_LRS`."""
    root: bool
    """Whether it can be the disk of the operating system."""
    min_gib: int
    max_gib: int
    billed_gib: Sequence[int] = ()
    """The sizes that are paid for, ascending: a disk costs what the next of them does. Empty where each GiB
    counts."""
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mbps: int | None = None
    max_mbps: int | None = None
    mbps_per_iops: float | None = None
    zonal: bool = False
    """Whether it is sold only to machines in a zone, where the region has zones."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskOrder:
    """A managed disk as one orders it. None is what is not given, or not known before something else is made."""

    type: str
    """As in `PremiumV2_LRS`."""
    root: bool = False
    """Whether it is the disk of the operating system."""
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """MB/s."""
    zone: str | None = None
    """Zone as in descriptions: `eastus-1`, or the region for no zone."""


@cache
def disk_types(*, root: bool = False) -> tuple[str, ...]:
    """The kinds of managed disk; with `root`, those that can be a root disk."""
    return tuple(record["type"] for record in of_kind("disk") if record["root"] or not root)


def disk_type(name: str) -> DiskType | None:
    """A kind of managed disk such as `Premium_LRS`."""
    return next((DiskType(**record) for record in of_kind("disk") if record["type"] == name), None)


def disk_refusals(order: DiskOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a new disk, by the names of the order's fields.

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
    """The iops that a disk of this kind and size can be given; 0 where they can't be ordered."""
    if kind.min_iops is None or kind.max_iops is None:
        return 0
    return max(kind.min_iops, min(int(size_gib * (kind.iops_per_gib or 0)), kind.max_iops))


def most_disk_mbps(kind: DiskType, iops: float) -> int:
    """The MB/s that a disk of this kind with so many iops can be given; 0 where they can't be ordered."""
    if kind.min_mbps is None or kind.max_mbps is None:
        return 0
    return max(kind.min_mbps, min(int(iops * (kind.mbps_per_iops or 0)), kind.max_mbps))


def billed_gib(kind: DiskType, size_gib: int) -> int:
    """The size that is paid for: 128 for a Premium_LRS of 100 GiB."""
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
