import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from hpc_components.azure.catalog.zones import has_zones
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal

DiskType = Literal["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "PremiumV2_LRS"]
"""Disk types supported for nodes. Azure offers others as well."""

LocalPlacement = Literal["CacheDisk", "ResourceDisk", "NvmeDisk"]
"""Azure's names for a machine's cache disk, temporary disk and NVMe disks."""

_SIZE = Limit(
    id="HPC-DSK-001",
    title="A disk's size must be within the range for its type, and a root disk can have at most 4,095 GiB",
    source='Azure documentation, "Azure managed disk types" and "Introduction to managed disks", OS disk',
)
_WHOLE = Limit(
    id="HPC-DSK-002",
    title="A disk's size must be a whole number of GiB",
    source="Azure REST API reference, Disks - Create Or Update, diskSizeGB",
)
_SPEED_GIVEN = Limit(
    id="HPC-DSK-003",
    title="`iops` and `throughput` can only be set for PremiumV2_LRS; for other types, the size determines them",
    source='Azure documentation, "Azure managed disk types"',
)
_IOPS = Limit(
    id="HPC-DSK-004",
    title="`iops` must be within the range for the disk's type, and no higher than the disk's size allows",
    source='Azure documentation, "Azure managed disk types", Premium SSD v2',
)
_THROUGHPUT = Limit(
    id="HPC-DSK-005",
    title="`throughput` must be within the range for the disk's type, and no higher than the disk's IOPS allow",
    source='Azure documentation, "Azure managed disk types", Premium SSD v2',
)
_BOOT = Limit(
    id="HPC-DSK-006",
    title="A root disk must have a type that Azure can boot from, which excludes PremiumV2_LRS",
    source='Azure documentation, "Azure managed disk types", Premium SSD v2: it can\'t be an OS disk',
)
_ZONE = Limit(
    id="HPC-DSK-007",
    title="In a region with zones, a machine with a PremiumV2_LRS disk must be in a zone",
    source='Azure documentation, "Deploy a Premium SSD v2", limitations',
)
_LOCAL = Limit(
    id="HPC-DSK-009",
    title="With `ephemeral_root`, the machine's local disks must have room for the root disk",
    why="Otherwise Azure refuses the scale set. The rule also applies to fallback machines.",
    source='Azure documentation, "Ephemeral OS disks", size requirements; the catalogue\'s local disks',
)

LIMITS = (_SIZE, _WHOLE, _SPEED_GIVEN, _IOPS, _THROUGHPUT, _BOOT, _ZONE, _LOCAL)

HARD_DISK: DiskType = "Standard_LRS"

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFacts:
    """A managed disk type. A limit is None if the type doesn't have the setting."""

    type: str
    """Name, such as `Premium_LRS`."""
    root: bool
    """Whether this type can be used for a root disk."""
    min_gib: int
    max_gib: int
    billed_gib: Sequence[int] = ()
    """Sizes in GiB that Azure charges for, in ascending order. For any other size, Azure charges for the next larger
    one. Empty if Azure charges per GiB."""
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mbps: int | None = None
    max_mbps: int | None = None
    mbps_per_iops: float | None = None
    zonal: bool = False
    """Whether this type requires the machine to be in a zone, in regions that have zones."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskOrder:
    """An order for a managed disk. A field is None if it is not specified, or unknown until deployment."""

    type: str
    root: bool = False
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """Throughput in MB/s."""
    zone: str | None = None
    """Zone as written in descriptions: `eastus-1`, or the region's name for a machine without a zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRootOrder:
    """An order for a root disk on a machine's local disks (an ephemeral OS disk), which is free of charge."""

    machine: str
    local: bool = True
    """Whether the root disk is on local disks instead of a managed disk."""
    size_gib: float
    image_gib: float | None = None
    """Image size in GiB, which is the minimum root disk size, or None if the size is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRoot:
    placement: LocalPlacement | None
    """Local disk to place the root disk on, or None if the machine has no room for a root disk."""
    gib: int
    """Maximum size of a root disk in GiB."""
    unsure: Sequence[str] = ()


def refusals(order: DiskOrder | LocalRootOrder) -> Iterator[Refusal]:
    """Yield the settings that Azure would refuse for a new disk. Types and machines without recorded facts are not
    checked.
    """
    if isinstance(order, LocalRootOrder):
        yield from _local(order)
    elif kind := disk_type(order.type):
        yield from _type(order, kind)
        yield from _size(order, kind)
        yield from _iops(order, kind)
        yield from _throughput(order, kind)


def _type(order: DiskOrder, kind: DiskFacts) -> Iterator[Refusal]:
    if order.root and not kind.root:
        yield _BOOT.refuse(
            "type",
            reason=f"Azure can't boot from {kind.type}",
            changes={"type": "Premium_LRS"},
            alternative={"type": "StandardSSD_LRS"},
            conflicts_with="root",
        )
    if kind.zonal and order.zone is not None and has_zones(order.zone):
        yield _ZONE.refuse(
            "type",
            reason=f"{kind.type} requires a machine in a zone, because region {order.zone} has zones",
            changes={"type": "Premium_LRS"},
            alternative={"zone": f"{order.zone}-1"},
            conflicts_with="zone",
        )


def _size(order: DiskOrder, kind: DiskFacts) -> Iterator[Refusal]:
    gib, least, most = order.size_gib, kind.min_gib, root_gib() if order.root else kind.max_gib
    if gib is None:
        return
    if gib != int(gib):
        reason = f"the size is {gib:.2f} GiB, but Azure only sells whole GiB"
        yield _WHOLE.refuse("size_gib", reason=reason, changes={"size_gib": int(gib) + 1})
    elif not least <= gib <= most:
        yield _SIZE.refuse(
            "size_gib",
            reason=f"the size for {'root disks' if order.root else kind.type} must be between {least:,} and {most:,} "
            f"GiB, not {gib:,g} GiB",
            changes={"size_gib": least if gib < least else most},
            conflicts_with="root" if order.root else "type",
        )


def _iops(order: DiskOrder, kind: DiskFacts) -> Iterator[Refusal]:
    iops, least, limit = order.iops, kind.min_iops, kind.max_iops
    if iops is None:
        return
    if least is None or limit is None:
        yield _follows_from_size("iops", order)
        return
    most = limit if order.size_gib is None else most_disk_iops(kind, order.size_gib)
    if not least <= iops <= most:
        in_range = least <= iops <= limit
        yield _IOPS.refuse(
            "iops",
            reason=f"{kind.type} allows {least} to {most if in_range else limit} IOPS"
            + (f" with {order.size_gib:g} GiB" if in_range else ""),
            changes={"iops": least if iops < least else most},
            alternative={"size_gib": math.ceil(iops / kind.iops_per_gib)} if in_range and kind.iops_per_gib else None,
            conflicts_with="size_gib" if in_range else "type",
        )


def _throughput(order: DiskOrder, kind: DiskFacts) -> Iterator[Refusal]:
    mbps, least, limit = order.throughput, kind.min_mbps, kind.max_mbps
    if mbps is None:
        return
    if least is None or limit is None:
        yield _follows_from_size("throughput", order)
        return
    iops = order.iops if order.iops is not None else kind.min_iops or 0
    most = most_disk_mbps(kind, iops)
    if not least <= mbps <= limit:
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"{kind.type} allows {least} to {limit} MB/s",
            changes={"throughput": least if mbps < least else limit},
            conflicts_with="type",
            level=Level.WARNING if mbps > limit and "max_mbps" in kind.unsure else None,
        )
    elif mbps > most:
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"a disk with {iops:g} IOPS allows at most {most} MB/s",
            changes={"iops": math.ceil(mbps / (kind.mbps_per_iops or 1))},
            alternative={"throughput": most},
            conflicts_with="iops",
        )


def _follows_from_size(field: Literal["iops", "throughput"], order: DiskOrder) -> Refusal:
    return _SPEED_GIVEN.refuse(
        field,
        reason=f"the size of a {order.type} disk determines its speed",
        changes={field: None},
        alternative=None if order.root else {"type": "PremiumV2_LRS"},
        advice="for a faster disk, increase the size" if order.root else "",
        conflicts_with="type",
    )


def _local(order: LocalRootOrder) -> Iterator[Refusal]:
    found = local_root(order.machine)
    if not order.local or found is None:
        return
    if found.placement is None:
        reason = f"{order.machine} has no local disks that can be used for a root disk"
        yield _LOCAL.refuse("local", reason=reason, changes={"local": None}, conflicts_with="machine")
    elif order.size_gib > found.gib:
        fits = order.image_gib is None or order.image_gib <= found.gib
        yield _LOCAL.refuse(
            "local",
            reason=f"the local disks of {order.machine} have room for a root disk of at most {found.gib} GiB, not "
            f"{order.size_gib:g} GiB",
            changes={"size_gib": found.gib} if fits else {"local": None},
            alternative={"local": None} if fits else None,
            conflicts_with="size_gib",
        )


@cache
def disk_types(*, root: bool = False) -> tuple[str, ...]:
    """Return the managed disk types. If `root` is true, return only the types that can be used for a root disk."""
    return tuple(record["type"] for record in facts_of_kind("type") if record["root"] or not root)


def disk_type(name: str) -> DiskFacts | None:
    return next((DiskFacts(**record) for record in facts_of_kind("type") if record["type"] == name), None)


def root_gib() -> int:
    """Return the maximum size of a root disk in GiB."""
    (record,) = facts_of_kind("root")
    return record["max_gib"]


def most_disk_iops(kind: DiskFacts, size_gib: float) -> int:
    """Return the maximum IOPS for a disk of this type and size, or 0 if IOPS can't be ordered for this type."""
    if kind.min_iops is None or kind.max_iops is None:
        return 0
    return max(kind.min_iops, min(int(size_gib * (kind.iops_per_gib or 0)), kind.max_iops))


def most_disk_mbps(kind: DiskFacts, iops: float) -> int:
    """Return the maximum MB/s for a disk of this type with these IOPS, or 0 if throughput can't be ordered for this
    type.
    """
    if kind.min_mbps is None or kind.max_mbps is None:
        return 0
    return max(kind.min_mbps, min(int(iops * (kind.mbps_per_iops or 0)), kind.max_mbps))


def billed_gib(kind: DiskFacts, size_gib: int) -> int:
    """Return the billed size in GiB, e.g. 128 for a 100 GiB Premium_LRS disk."""
    return next((size for size in kind.billed_gib if size >= size_gib), size_gib)


def local_root(machine: str) -> LocalRoot | None:
    """Return the space for a root disk on the local disks of a VM size, or None if the catalogue has no record of the
    size.
    """
    name = machine.removeprefix("Standard_")
    for record in facts_of_kind("local_root"):
        if re.fullmatch(record["sizes"], name):
            vcpus = int(re.findall(r"\d+", name)[0])
            gib = record.get("gib") or int(record.get("gib_per_vcpu", 0) * vcpus)
            return LocalRoot(placement=record["placement"], gib=gib, unsure=record.get("unsure", ()))
    return None
