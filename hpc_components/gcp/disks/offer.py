from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, Literal

from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.gcp.catalog.by_prefix import nearest

DiskType = Literal[
    "pd-balanced", "pd-ssd", "pd-standard", "pd-extreme", "hyperdisk-balanced", "hyperdisk-extreme",
    "hyperdisk-throughput",
]  # fmt: skip
Use = Literal["root", "data"]

_MACHINE = Limit(
    id="HPC-GDK-001",
    title="A machine must support the types of its disks",
    why="H4D, C4, A3 Ultra and A4 support only hyperdisks, C2 doesn't support hyperdisks, and H3 doesn't support "
    "pd-ssd.",
    source='Compute Engine documentation, "Machine families", supported disk types; Cluster Toolkit,'
    " instance_validations",
)
_DOUBT = Limit(
    id="HPC-GDK-002",
    title="All sources should agree that a machine supports the types of its disks",
    source="as HPC-GDK-001",
    level=Level.WARNING,
)
_BOOT = Limit(
    id="HPC-GDK-003",
    title="A boot disk must have a type that machines can boot from",
    why="Machines can't boot from pd-extreme, hyperdisk-extreme or hyperdisk-throughput.",
    source='Compute Engine documentation, "Persistent Disk" and "Hyperdisk", boot disks',
)
_SIZE = Limit(
    id="HPC-GDK-004",
    title="A disk's size must be a whole number of GiB within the limits of the disk type",
    source='Compute Engine documentation, "Persistent Disk" and "Hyperdisk", size limits',
)
_SPEED_SET = Limit(
    id="HPC-GDK-005",
    title="`iops` and `throughput` can be set only for hyperdisks that support them",
    source='Compute Engine documentation, "Hyperdisk", provisioned performance',
)
_SPEED = Limit(
    id="HPC-GDK-006",
    title="`iops` must be within the range for the disk's type and size, and `throughput` within the range for its "
    "type, size and iops",
    why="If the limit is uncertain, the finding is a warning.",
    source='Compute Engine documentation, "Hyperdisk", performance limits',
)

LIMITS = (_MACHINE, _DOUBT, _BOOT, _SIZE, _SPEED_SET, _SPEED)

_GIB_OF_TIB = 1024

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFacts:
    """The facts about one disk type. A value is None if the type doesn't have that setting."""

    type: str
    root: bool
    """Whether the type can be used for boot disks."""
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
    free_mibps: int = 0
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskOrder:
    """Settings of a new disk. A value is None if it is not specified or not yet known."""

    type: str | None = None
    """Disk type, or None for each machine's default."""
    root: bool = False
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """Throughput in MiB/s."""
    machines: tuple[Machine, ...] = ()


def refusals(order: DiskOrder) -> Iterator[Refusal]:
    """Yield the reasons why Compute Engine would refuse a disk, without duplicates. Unknown disk types are not
    checked.
    """
    seen: set[tuple[str, str]] = set()
    for machine in order.machines or (None,):
        kind = disk_type(order.type or default_disk_type(machine))
        for each in _refusals(order, kind, machine) if kind else ():
            if (each.limit.id, each.field) not in seen:
                seen.add((each.limit.id, each.field))
                yield each


def _refusals(order: DiskOrder, kind: DiskFacts, machine: Machine | None) -> Iterator[Refusal]:
    yield from _type(order, kind, machine)
    if order.size_gib is not None and (wrong := _wrong_size(kind, order.size_gib)):
        yield wrong
        return
    if order.iops is not None:
        whole, here = iops_range(kind), iops_range(kind, order.size_gib)
        yield from _speed("iops", order, kind, machine, whole, here)
    if order.throughput is not None:
        whole, here = throughput_range(kind), throughput_range(kind, order.size_gib, order.iops)
        yield from _speed("throughput", order, kind, machine, whole, here)


def _type(order: DiskOrder, kind: DiskFacts, machine: Machine | None) -> Iterator[Refusal]:
    use: Use = "root" if order.root else "data"
    if order.root and not kind.root:
        fit = [each for each in disk_types(root=True) if machine is None or takes_disk(machine, each, "root")]
        yield _BOOT.refuse(
            "type", reason=f"machines can't boot from {kind.type}", conflicts_with="root", **_types(fit, machine)
        )
    elif machine is not None and takes_disk(machine, kind.type, use) is False:
        support = _support(machine) or {use: ()}
        verb = "boot from" if order.root else "support"
        yield _MACHINE.refuse(
            "type",
            reason=f"{machine.name} does not {verb} {kind.type}",
            conflicts_with="machines",
            **_types([each for each in support[use] if takes_disk(machine, each, use)], machine),
        )
    elif machine is not None and order.type is not None and takes_disk(machine, kind.type, use) is None:
        yield _DOUBT.refuse(
            "type",
            reason=f"sources disagree on whether {machine.name} supports {kind.type}",
            changes={"type": default_disk_type(machine)},
        )


def _types(fit: Sequence[str], machine: Machine | None) -> Mapping[str, Any]:
    """Return a remedy and an alternative: the first two types in `fit`. If the machine's default type fits, it
    becomes the remedy.
    """
    default = default_disk_type(machine)
    first, *rest = sorted(fit, key=lambda each: each != default) or [default]
    return {"changes": {"type": first}, "alternative": {"type": rest[0]} if rest else {}}


def _wrong_size(kind: DiskFacts, gib: float) -> Refusal | None:
    if not kind.min_gib <= gib <= kind.max_gib:
        return _SIZE.refuse(
            "size_gib",
            reason=f"a {kind.type} disk must have {kind.min_gib:,} to {kind.max_gib:,} GiB, not {gib:,.10g}",
            changes={"size_gib": kind.min_gib if gib < kind.min_gib else kind.max_gib},
            conflicts_with="type",
        )
    if gib != int(gib):
        reason, whole = f"Google offers disks in whole GiB, not {gib:,.2f}", min(ceil(gib), kind.max_gib)
        return _SIZE.refuse("size_gib", reason=reason, changes={"size_gib": whole}, conflicts_with="type")
    return None


def _speed(
    field: Literal["iops", "throughput"],
    order: DiskOrder,
    kind: DiskFacts,
    machine: Machine | None,
    whole: range | None,
    here: range | None,
) -> Iterator[Refusal]:
    """Refuse a speed outside `here`, the range for this disk's size and iops.

    `whole` is the range for all disks of this type.
    """
    wanted, unit = (order.iops, "iops") if field == "iops" else (order.throughput, "MiB/s")
    assert wanted is not None
    if whole is None or here is None:
        other: DiskType = "hyperdisk-balanced"
        fits = kind.type != other and (
            machine is None or takes_disk(machine, other, "root" if order.root else "data")
        )
        yield _SPEED_SET.refuse(
            field,
            reason=f"{field} can't be set for {kind.type} disks, whose speed depends on their size",
            changes={field: None},
            alternative={"type": other} if fits else {},
            conflicts_with="type",
        )
    elif wanted != int(wanted) or int(wanted) not in here:
        because, given = _because(field, order, kind) if int(wanted) in whole else (None, "")
        low = wanted < here[0]
        limit = ("min_" if low else "max_") + ("iops" if field == "iops" else "mibps")
        yield _SPEED.refuse(
            field,
            reason=f"a {kind.type} disk{given} must have {here[0]:,} to {here[-1]:,} {unit}",
            changes={field: here[0] if low else here[-1]},
            advice={"size_gib": "or increase {size_gib}", "iops": "or increase {iops}"}.get(because or "", ""),
            conflicts_with=because,
            level=Level.WARNING if because is None and limit in kind.unsure else None,
        )


def _because(field: str, order: DiskOrder, kind: DiskFacts) -> tuple[str, str]:
    """Return the field that limits the range, and a phrase with that field's value."""
    if field == "throughput" and kind.iops_per_mibps:
        return "iops", f" with {order.iops or 0:,.0f} iops"
    return "size_gib", f" with {order.size_gib or 0:,.0f} GiB"


@cache
def disk_types(*, root: bool = False) -> tuple[str, ...]:
    """Return the names of all disk types or, with `root`, only of those that machines can boot from."""
    return tuple(record["type"] for record in facts_of_kind("type") if record["root"] or not root)


def disk_type(name: str) -> DiskFacts | None:
    return next((DiskFacts(**record) for record in facts_of_kind("type") if record["type"] == name), None)


def takes_disk(machine: Machine, type: str, use: Use = "data") -> bool | None:
    """Return whether a machine supports a disk type, or None if its series is unknown or sources disagree."""
    support = _support(machine)
    if support is None:
        return None
    if type in support[use]:
        return machine.vcpus >= support["least_vcpus"].get(type, 0)
    return None if type in support["maybe"] and (use == "data" or type in disk_types(root=True)) else False


def default_disk_type(machine: Machine | None) -> str:
    """Return a machine's default boot disk type.

    The default is `pd-balanced`, or the first supported type if the machine doesn't support Persistent Disk.
    """
    support = _support(machine) if machine else None
    return "pd-balanced" if support is None or "pd-balanced" in support["root"] else support["root"][0]


def iops_range(kind: DiskFacts, size_gib: float | None = None) -> range | None:
    """Return the range of iops that can be set for a disk type and size, or None if iops can't be set."""
    if kind.min_iops is None or kind.max_iops is None:
        return None
    most = kind.max_iops
    if size_gib is not None and kind.iops_per_gib:
        most = max(kind.min_iops, min(most, int(size_gib * kind.iops_per_gib)))
    return range(kind.min_iops, most + 1)


def throughput_range(kind: DiskFacts, size_gib: float | None = None, iops: float | None = None) -> range | None:
    """Return the range of throughputs, in MiB/s, that can be set for a disk type, size and iops.

    Return None if the throughput can't be set.
    """
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


def _support(machine: Machine) -> Record | None:
    return nearest(facts_of_kind("support"), machine.name)
