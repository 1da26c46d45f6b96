"""What managed disks are sold, decided in one place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.catalog.refusal import Refusal

__all__ = ["DiskOrder", "DiskType", "disk_refusals", "disk_type", "disk_types", "most_disk_iops", "most_disk_mbps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskType:
    """One kind of managed disk; None where it takes no such setting."""

    type: str
    """As in `Premium_LRS`."""
    root: bool
    """Whether it can be the disk of the operating system."""
    min_gib: int
    max_gib: int
    max_root_gib: int | None = None
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mbps: int | None = None
    max_mbps: int | None = None
    mbps_per_iops: float | None = None
    notes: str = ""
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
    """Number of its zone; the empty string for none; None where that is not known."""
    region: str | None = None


def disk_types(*, root: bool = False) -> tuple[str, ...]:
    """The kinds of managed disk; with `root`, those that can be a root disk."""
    raise NotImplementedError


def disk_type(name: str) -> DiskType | None:
    """A kind of managed disk such as `Premium_LRS`."""
    raise NotImplementedError


def disk_refusals(order: DiskOrder) -> Iterator[Refusal]:
    """What Azure would refuse of a new disk, by the names of the order's fields.

    Source: Azure documentation, "Azure managed disk types" and "Deploy a Premium SSD v2".
    """
    raise NotImplementedError


def most_disk_iops(kind: DiskType, size_gib: float) -> int:
    """The iops that a disk of this kind and size can be given; 0 where they can't be ordered."""
    raise NotImplementedError


def most_disk_mbps(kind: DiskType, iops: float) -> int:
    """The MB/s that a disk of this kind with so many iops can be given; 0 where they can't be ordered."""
    raise NotImplementedError
