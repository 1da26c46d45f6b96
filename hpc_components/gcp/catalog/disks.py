"""The Persistent Disks and Hyperdisks that Google sells, and the machines that support them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Literal

from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.by_prefix import nearest

_of_kind = RecordsByKind("disks", __file__).records

Use = Literal["root", "data"]
_GIB_OF_TIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskType:
    """One disk type; None for settings that it does not have."""

    type: str
    """Name, such as `hyperdisk-balanced`."""
    root: bool
    """Whether it can be a boot disk."""
    min_gib: int
    max_gib: int
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    """Maximum iops per GiB."""
    min_mibps: int | None = None
    max_mibps: int | None = None
    iops_per_mibps: Sequence[int] | None = None
    """Minimum and maximum iops per MiB/s."""
    mibps_per_tib: Sequence[int] | None = None
    """Minimum and maximum MiB/s per TiB."""
    free_iops: int = 0
    """Iops included in the price of every disk."""
    free_mibps: int = 0
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskOrder:
    """A disk as ordered; None is what is not given, or not known yet."""

    type: str
    root: bool = False
    """Whether it is a boot disk."""
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """MiB/s."""
    machine: Machine | None = None
    """The machine that it is attached to."""


@cache
def disk_types(*, root: bool = False) -> tuple[str, ...]:
    """Return the names of the disk types; with `root`, only those that can be a boot disk."""
    return tuple(record["type"] for record in _of_kind("disk") if record["root"] or not root)


def disk_type(name: str) -> DiskType | None:
    """Return a disk type such as `pd-balanced`; None if it is unknown."""
    return next((DiskType(**record) for record in _of_kind("disk") if record["type"] == name), None)


def takes_disk(machine: Machine, type: str, use: Use = "data") -> bool | None:
    """Return whether a machine supports a disk type; None if its series is unknown, or sources disagree."""
    support = _support(machine)
    if support is None:
        return None
    if type in support[use]:
        return machine.vcpus >= support["least_vcpus"].get(type, 0)
    return None if type in support["maybe"] and (use == "data" or type in disk_types(root=True)) else False


def default_disk_type(machine: Machine | None) -> str:
    """Return the default boot disk type: `pd-balanced`, or the first that a machine without Persistent Disk
    supports."""
    support = _support(machine) if machine else None
    return "pd-balanced" if support is None or "pd-balanced" in support["root"] else support["root"][0]


def disk_refusals(order: DiskOrder) -> Iterator[Refusal]:
    """What Compute Engine would refuse of a disk, by the names of the order's fields.

    `type`: there is no such kind; it can't be a root disk (`because_of` `root`); the machine does not take it
    (`because_of` `machine`, with the kinds that it takes in `allowed`). What sources disagree about is not refused:
    `takes_disk` is None then. `iops` and `throughput`: NOT_TAKEN `because_of` `type`, or NOT_SOLD with the range in
    `allowed`, `because_of` the field that decides it.
    Source: Compute Engine documentation, "Persistent Disk", "Hyperdisk" and "Machine families", supported disk types.
    """
    kind = disk_type(order.type)
    if kind is None:
        yield Refusal(field="type", why=Why.UNKNOWN, allowed=disk_types())
        return
    yield from _type(order, kind)
    sizes = range(kind.min_gib, kind.max_gib + 1)
    if order.size_gib is not None and (order.size_gib != int(order.size_gib) or int(order.size_gib) not in sizes):
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=sizes)
        return
    if order.iops is not None:
        yield from _figure("iops", order.iops, iops_range(kind), iops_range(kind, order.size_gib), "size_gib")
    if order.throughput is not None:
        whole, here = throughput_range(kind), throughput_range(kind, order.size_gib, order.iops)
        because = "iops" if kind.iops_per_mibps else "size_gib"
        yield from _figure("throughput", order.throughput, whole, here, because)


def iops_range(kind: DiskType, size_gib: float | None = None) -> range | None:
    """Return the iops that can be ordered for a disk type and size; None if they can't be ordered."""
    if kind.min_iops is None or kind.max_iops is None:
        return None
    most = kind.max_iops
    if size_gib is not None and kind.iops_per_gib:
        most = max(kind.min_iops, min(most, int(size_gib * kind.iops_per_gib)))
    return range(kind.min_iops, most + 1)


def throughput_range(kind: DiskType, size_gib: float | None = None, iops: float | None = None) -> range | None:
    """Return the MiB/s that can be ordered for a disk type, size and iops; None if they can't be ordered."""
    if kind.min_mibps is None or kind.max_mibps is None:
        return None
    least, most = float(kind.min_mibps), float(kind.max_mibps)
    if kind.iops_per_mibps and iops is not None:
        fewest, highest = kind.iops_per_mibps
        least, most = max(least, iops / highest), min(most, iops / fewest)
    if kind.mibps_per_tib and size_gib is not None:
        low, high = kind.mibps_per_tib
        least, most = max(least, size_gib * low / _GIB_OF_TIB), min(most, size_gib * high / _GIB_OF_TIB)
    return range(ceil(least), max(ceil(least), int(most)) + 1)


def _type(order: DiskOrder, kind: DiskType) -> Iterator[Refusal]:
    if order.root and not kind.root:
        yield Refusal(field="type", why=Why.NOT_TAKEN, because_of="root", allowed=disk_types(root=True))
        return
    use: Use = "root" if order.root else "data"
    if order.machine is not None and takes_disk(order.machine, kind.type, use) is False:
        support = _support(order.machine) or {use: ()}
        allowed = tuple(each for each in support[use] if takes_disk(order.machine, each, use))
        yield Refusal(field="type", why=Why.NOT_TAKEN, because_of="machine", allowed=allowed)


def _figure(field: str, wanted: float, whole: range | None, here: range | None, because: str) -> Iterator[Refusal]:
    if whole is None or here is None:
        yield Refusal(field=field, why=Why.NOT_TAKEN, because_of="type")
    elif wanted != int(wanted) or int(wanted) not in whole:
        yield Refusal(field=field, why=Why.NOT_SOLD, allowed=here)
    elif int(wanted) not in here:
        yield Refusal(field=field, why=Why.NOT_SOLD, because_of=because, allowed=here)


def _support(machine: Machine) -> Record | None:
    return nearest(_of_kind("support"), machine.name)
