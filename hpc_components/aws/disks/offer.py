import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.offer import Limit, Refusal

_SIZE = Limit(
    id="HPC-EBS-001",
    title="A volume's size must be within the range of its type",
    source="EC2 API reference, EbsBlockDevice",
)
_WHOLE = Limit(
    id="HPC-EBS-002",
    title="A volume's size must be a whole number of GiB",
    source="EC2 API reference, EbsBlockDevice",
)
_IOPS_GIVEN = Limit(
    id="HPC-EBS-003",
    title="`iops` is required for io1 and io2, optional for gp3, and not supported by other volume types",
    source="EC2 API reference, EbsBlockDevice",
)
_IOPS = Limit(
    id="HPC-EBS-004",
    title="`iops` must be within the volume type's range, and must not exceed what the volume's size allows",
    source="EC2 API reference, EbsBlockDevice; EBS user guide, volume types",
)
_THROUGHPUT = Limit(
    id="HPC-EBS-005",
    title="`throughput` requires gp3, and must be within the range that gp3 and the volume's IOPS allow",
    source="EC2 API reference, EbsBlockDevice; EBS user guide, volume types",
)
_BOOT = Limit(
    id="HPC-EBS-006",
    title="Nodes must boot from SSD volumes",
    why="EC2 can't boot from st1 and sc1 volumes.",
    source='EBS user guide, "HDD volumes"',
)

LIMITS = (_SIZE, _WHOLE, _IOPS_GIVEN, _IOPS, _THROUGHPUT, _BOOT)

HARD_DISKS = ("st1", "sc1")

_USUAL_IOPS = 3000
"""IOPS to suggest if a volume type requires a value."""

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeType:
    """Limits of a volume type. A limit is None if the type does not support the setting."""

    type: str
    min_gib: int
    max_gib: int
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mibs: int | None = None
    max_mibs: int | None = None
    mibs_per_iops: float | None = None
    notes: str = ""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def most_iops(self, size_gib: float) -> int:
        """Return the maximum IOPS of a volume of this size, or 0 if the type has no IOPS setting."""
        most = int(size_gib * (self.iops_per_gib or 0)) or self.max_iops or 0
        return max(self.min_iops or 0, min(most, self.max_iops or most))


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeOrder:
    """An order for a volume. Fields are None if they are not specified, or not known until another resource
    exists.
    """

    type: str
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """Throughput in MiB/s."""
    root: bool = False
    """Whether a node boots from the volume."""


def refusals(order: VolumeOrder) -> Iterator[Refusal]:
    kind = volume_type(order.type)
    if kind is None:
        reason = f"EBS has no such volume type, only {', '.join(volume_types())}"
        yield _BOOT.refuse("type", reason=reason, changes={"type": "gp3"})
        return
    yield from _size(order, kind)
    yield from _iops(order, kind)
    yield from _throughput(order, kind)
    if order.root and kind.type in HARD_DISKS:
        yield _BOOT.refuse("type", reason=f"EC2 can't boot from {kind.type} volumes", changes={"type": "gp3"})


def _size(order: VolumeOrder, kind: VolumeType) -> Iterator[Refusal]:
    gib, least, most = order.size_gib, kind.min_gib, kind.max_gib
    if gib is None:
        return
    if gib != int(gib):
        reason = f"the size is {gib:.2f} GiB, but EBS offers only whole GiB"
        yield _WHOLE.refuse("size_gib", reason=reason, changes={"size_gib": int(gib) + 1})
    elif not least <= gib <= most:
        yield _SIZE.refuse(
            "size_gib",
            reason=f"{kind.type} volumes must be between {least} and {most} GiB, not {gib:g}",
            changes={"size_gib": least if gib < least else most},
            alternative={"type": "gp3"} if gib < least and kind.type != "gp3" else None,
            conflicts_with="type",
        )


def _iops(order: VolumeOrder, kind: VolumeType) -> Iterator[Refusal]:
    iops, least, limit = order.iops, kind.min_iops, kind.max_iops
    if least is None or limit is None:
        if iops is not None:
            yield _not_for(_IOPS_GIVEN, "iops", f"the IOPS of {kind.type} volumes can't be set")
        return
    most = limit if order.size_gib is None else kind.most_iops(order.size_gib)
    if iops is None:
        if kind.type in ("io1", "io2"):
            yield _IOPS_GIVEN.refuse(
                "iops",
                reason=f"{kind.type} volumes require an IOPS value from {least} to {most}",
                changes={"iops": min(_USUAL_IOPS, most)},
                alternative={"type": "gp3"},
                conflicts_with="type",
            )
    elif not least <= iops <= most:
        in_range = least <= iops <= limit
        reason = f"{kind.type} volumes must have {least} to {limit} IOPS"
        if in_range:
            reason = (
                f"{kind.type} volumes allow {kind.iops_per_gib} IOPS per GiB, so at most {most} for "
                f"{order.size_gib:g} GiB"
            )
        yield _IOPS.refuse(
            "iops",
            reason=reason,
            changes={"iops": max(least, min(int(iops), most))},
            alternative={"size_gib": math.ceil(iops / kind.iops_per_gib)} if in_range and kind.iops_per_gib else None,
            conflicts_with="size_gib" if in_range else "type",
        )


def _throughput(order: VolumeOrder, kind: VolumeType) -> Iterator[Refusal]:
    mibs, least, most = order.throughput, kind.min_mibs, kind.max_mibs
    if mibs is None:
        return
    iops = order.iops or kind.min_iops or 0
    if least is None or most is None:
        yield _not_for(_THROUGHPUT, "throughput", f"the throughput of {kind.type} volumes can't be set")
    elif not least <= mibs <= most:
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"the throughput of {kind.type} volumes must be between {least} and {most} MiB/s",
            changes={"throughput": least if mibs < least else most},
            conflicts_with="type",
        )
    elif kind.mibs_per_iops and mibs > iops * kind.mibs_per_iops:
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"{iops:g} IOPS allow at most {int(iops * kind.mibs_per_iops)} MiB/s",
            changes={"iops": math.ceil(mibs / kind.mibs_per_iops)},
            advice="or use less throughput",
            conflicts_with="iops",
        )


def _not_for(limit: Limit, field: str, reason: str) -> Refusal:
    return limit.refuse(
        field, reason=reason, changes={field: None}, alternative={"type": "gp3"}, conflicts_with="type"
    )


def volume_type(name: str) -> VolumeType | None:
    return next((VolumeType(**r) for r in facts_of_kind("volume_type") if r["type"] == name), None)


def volume_types() -> tuple[str, ...]:
    return tuple(r["type"] for r in facts_of_kind("volume_type"))
