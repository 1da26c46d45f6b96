"""Rules on block volumes."""

from collections.abc import Iterator

from hpc_components.aws.rules._disks import DiskUse, disks
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import EbsType, ebs_type
from hpc_components.catalog.cluster_limits import image_gib
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []


@rule("HPC-EBS-001", Level.ERROR)
def disk_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A volume's size is one that its type comes in.

    Source: EC2 API reference, EbsBlockDevice.
    """
    for use, kind in _known(cluster):
        gib = use.disk.size.in_gib
        if gib == int(gib) and not kind.min_gib <= gib <= kind.max_gib:
            low = gib < kind.min_gib
            yield Problem(
                path=(*use.path, "size"),
                value=str(use.disk.size),
                reason=f"{kind.type} volumes have {kind.min_gib} to {kind.max_gib} GiB, not {gib:g}",
                remedy=f"use {kind.min_gib if low else kind.max_gib}GiB" + (", or type: gp3" if low else ""),
            )


@rule("HPC-EBS-002", Level.ERROR)
def whole_gib(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A volume's size is a whole number of GiB.

    Source: EC2 API reference, EbsBlockDevice.
    """
    for use in disks(cluster):
        gib = use.disk.size.in_gib
        if gib != int(gib):
            yield Problem(
                path=(*use.path, "size"),
                value=str(use.disk.size),
                reason=f"{use.disk.size} is {gib:.2f} GiB, and EBS sells whole ones",
                remedy=f"use {int(gib) + 1}GiB",
            )


@rule("HPC-EBS-003", Level.ERROR)
def iops_taken(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`iops` is given for volumes that take it: always for io1 and io2, never for st1 and sc1.

    Source: EC2 API reference, EbsBlockDevice.
    """
    for use, kind in _known(cluster):
        iops = use.disk.iops
        if iops is not None and kind.max_iops is None:
            yield Problem(
                path=(*use.path, "iops"),
                value=iops,
                reason=f"the speed of {kind.type} follows from its size",
                remedy="leave it out, or use type: gp3",
            )
        elif iops is None and kind.type in ("io1", "io2"):
            yield Problem(
                path=(*use.path, "type"),
                value=kind.type,
                reason=f"{kind.type} volumes must say how many iops they have",
                remedy=f"add iops: {min(3000, _most_iops(use, kind))}, or use type: gp3",
            )


@rule("HPC-EBS-004", Level.ERROR)
def iops_range(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`iops` is in the range of the volume's type, and not more than its size allows.

    Source: EC2 API reference, EbsBlockDevice; EBS user guide, volume types.
    """
    for use, kind in _known(cluster):
        iops = use.disk.iops
        if iops is None or kind.min_iops is None or kind.max_iops is None:
            continue
        gib, most = use.disk.size.in_gib, _most_iops(use, kind)
        if not kind.min_iops <= iops <= kind.max_iops:
            reason = f"{kind.type} has {kind.min_iops} to {kind.max_iops} iops"
        elif kind.iops_per_gib and iops > max(gib * kind.iops_per_gib, kind.min_iops):
            reason = f"{kind.type} has {kind.iops_per_gib} iops per GiB, and so {most} with {gib:g} GiB"
        else:
            continue
        remedy = f"use {max(kind.min_iops, min(iops, most))}"
        if kind.iops_per_gib and most < iops <= kind.max_iops:
            remedy += f", or size: {-(-iops // kind.iops_per_gib)}GiB"
        yield Problem(path=(*use.path, "iops"), value=iops, reason=reason, remedy=remedy)


@rule("HPC-EBS-005", Level.ERROR)
def throughput_range(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`throughput` is for gp3 only, in its range, and not more than its iops allow.

    Source: EC2 API reference, EbsBlockDevice; EBS user guide, volume types.
    """
    for use, kind in _known(cluster):
        mibs = use.disk.throughput
        if mibs is None:
            continue
        iops = use.disk.iops or kind.min_iops or 0
        if kind.min_mibs is None or kind.max_mibs is None:
            reason, remedy = f"the throughput of {kind.type} can't be ordered", "leave it out, or use type: gp3"
        elif not kind.min_mibs <= mibs <= kind.max_mibs:
            reason = f"{kind.type} has {kind.min_mibs} to {kind.max_mibs} MiB/s"
            remedy = f"use {kind.min_mibs if mibs < kind.min_mibs else kind.max_mibs}"
        elif kind.mibs_per_iops and mibs > iops * kind.mibs_per_iops:
            reason = f"{iops} iops allow {int(iops * kind.mibs_per_iops)} MiB/s"
            remedy = f"use iops: {-int(-mibs // kind.mibs_per_iops)}, or less throughput"
        else:
            continue
        yield Problem(path=(*use.path, "throughput"), value=mibs, reason=reason, remedy=remedy)


@rule("HPC-EBS-006", Level.ERROR)
def boots_from_ssd(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Systems boot from SSD volumes.

    EC2 can't boot from st1 and sc1. Source: EBS user guide, "HDD volumes".
    """
    for use in disks(cluster):
        if use.root and use.disk.type in ("st1", "sc1"):
            yield Problem(
                path=(*use.path, "type"),
                value=use.disk.type,
                reason=f"EC2 can't boot from {use.disk.type}",
                remedy="use gp3",
            )


@rule("HPC-EBS-007", Level.ERROR)
def image_fits(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A root disk is at least as large as the image on it.

    Source: the images' root devices; for images with drivers, the size that EC2's console recommends.
    """
    for use in disks(cluster):
        image = image_gib(cluster.os, accelerated=use.accelerated)
        if not use.root or use.image is not None or image is None or use.disk.size.in_gib >= image[0]:
            continue
        gib, sure = image
        yield Problem(
            path=(*use.path, "size"),
            value=str(use.disk.size),
            reason=f"the image of {cluster.os}{' with drivers' if use.accelerated else ''} has {gib} GiB"
            + ("" if sure else " or so"),
            remedy=f"use at least {max(gib, 20)}GiB: the software of a node must fit on it too",
            level=None if sure else Level.WARNING,
        )


@rule("HPC-EBS-008", Level.WARNING)
def state_on_ssd(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The head node's state is on an SSD volume.

    Slurm writes many small files, the accounting database syncs after each transaction. Source: Slurm's
    High Throughput Computing guide, StateSaveLocation.
    """
    if cluster.head_node.state.type in ("st1", "sc1"):
        yield Problem(
            path=("head_node", "state", "type"),
            value=cluster.head_node.state.type,
            reason="every job is several small writes, and a hard disk does some hundred in a second",
            remedy="use gp3",
        )


def _known(cluster: AwsClusterSpec) -> Iterator[tuple[DiskUse, EbsType]]:
    for use in disks(cluster):
        if kind := ebs_type(use.disk.type):
            yield use, kind


def _most_iops(use: DiskUse, kind: EbsType) -> int:
    """The iops that a volume of this size can have."""
    most = int(use.disk.size.in_gib * (kind.iops_per_gib or 0)) or kind.max_iops or 0
    return max(kind.min_iops or 0, min(most, kind.max_iops or most))
