"""What EBS sells."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.aws.catalog.filesystems import EbsType, ebs_type, ebs_types
from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeOrder:
    """An order of a block volume. None means not given, or unknown until another resource exists."""

    type: str
    """Volume type, such as `gp3`."""
    size_gib: float | None = None
    iops: float | None = None
    throughput: float | None = None
    """MiB/s."""


def volume_refusals(order: VolumeOrder) -> Iterator[Refusal]:
    """What EBS would refuse of a new volume, by the names of the order's fields.

    Source: EC2 API reference, EbsBlockDevice; EBS user guide, volume types.
    """
    kind = ebs_type(order.type)
    if kind is None:
        yield Refusal(field="type", why=Why.UNKNOWN, allowed=ebs_types())
        return
    gib, sizes = order.size_gib, range(kind.min_gib, kind.max_gib + 1)
    if gib is not None and (gib != int(gib) or int(gib) not in sizes):
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=sizes)
    yield from _iops(order, kind)
    yield from _throughput(order, kind)


def most_iops(kind: EbsType, size_gib: float) -> int:
    """The iops that a volume of this type and size can have; 0 where they can't be ordered."""
    most = int(size_gib * (kind.iops_per_gib or 0)) or kind.max_iops or 0
    return max(kind.min_iops or 0, min(most, kind.max_iops or most))


def _iops(order: VolumeOrder, kind: EbsType) -> Iterator[Refusal]:
    if kind.min_iops is None or kind.max_iops is None:
        if order.iops is not None:
            yield Refusal(field="iops", why=Why.NOT_TAKEN, because_of="type")
        return
    most = kind.max_iops if order.size_gib is None else most_iops(kind, order.size_gib)
    if order.iops is None:
        if kind.type in ("io1", "io2"):
            yield Refusal(field="iops", why=Why.MISSING, allowed=range(kind.min_iops, most + 1))
    elif not kind.min_iops <= order.iops <= kind.max_iops:
        yield Refusal(field="iops", why=Why.NOT_SOLD, allowed=range(kind.min_iops, kind.max_iops + 1))
    elif order.iops > most:
        yield Refusal(field="iops", why=Why.NOT_SOLD, because_of="size_gib", allowed=range(kind.min_iops, most + 1))


def _throughput(order: VolumeOrder, kind: EbsType) -> Iterator[Refusal]:
    mibs = order.throughput
    if mibs is None:
        return
    iops = order.iops or kind.min_iops or 0
    if kind.min_mibs is None or kind.max_mibs is None:
        yield Refusal(field="throughput", why=Why.NOT_TAKEN, because_of="type")
    elif not kind.min_mibs <= mibs <= kind.max_mibs:
        yield Refusal(field="throughput", why=Why.NOT_SOLD, allowed=range(kind.min_mibs, kind.max_mibs + 1))
    elif kind.mibs_per_iops and mibs > iops * kind.mibs_per_iops:
        allowed = range(kind.min_mibs, int(iops * kind.mibs_per_iops) + 1)
        yield Refusal(field="throughput", why=Why.NOT_SOLD, because_of="iops", allowed=allowed)
