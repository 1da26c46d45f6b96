"""Rules on block volumes."""

from collections.abc import Iterator

from hpc_components.aws.catalog.filesystems import ebs_type
from hpc_components.aws.catalog.volumes import VolumeOrder, most_iops, volume_refusals
from hpc_components.aws.rules._disks import DiskUse, disks
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._sizes import not_whole_gib


@rule("HPC-EBS-001", Level.ERROR)
def disk_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A volume's size is one that its type comes in.

    Source: EC2 API reference, EbsBlockDevice.
    """
    for use, refusal in _refused(cluster, "size_gib"):
        gib, least, most = use.disk.size.in_gib, refusal.allowed[0], refusal.allowed[-1]
        if gib == int(gib):
            low = gib < int(least)
            yield Problem(
                path=(*use.path, "size"),
                value=str(use.disk.size),
                reason=f"{use.disk.type} volumes have {least} to {most} GiB, not {gib:g}",
                remedy=f"use {least if low else most}GiB" + (", or type: gp3" if low else ""),
            )


@rule("HPC-EBS-002", Level.ERROR)
def whole_gib(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A volume's size is a whole number of GiB.

    Source: EC2 API reference, EbsBlockDevice.
    """
    for use, _ in _refused(cluster, "size_gib"):
        if use.disk.size.in_gib != int(use.disk.size.in_gib):
            reason, remedy = not_whole_gib(use.disk.size, "EBS")
            yield Problem(path=(*use.path, "size"), value=str(use.disk.size), reason=reason, remedy=remedy)


@rule("HPC-EBS-003", Level.ERROR)
def iops_taken(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`iops` is given for volumes that take it: always for io1 and io2, never for st1 and sc1.

    Source: EC2 API reference, EbsBlockDevice.
    """
    for use, refusal in _refused(cluster, "iops", Why.NOT_TAKEN, Why.MISSING):
        kind = use.disk.type
        if refusal.why is Why.NOT_TAKEN:
            yield Problem(
                path=(*use.path, "iops"),
                value=use.disk.iops,
                reason=f"the speed of {kind} follows from its size",
                remedy="leave it out, or use type: gp3",
            )
        else:
            yield Problem(
                path=(*use.path, "type"),
                value=kind,
                reason=f"{kind} volumes must say how many iops they have",
                remedy=f"add iops: {min(3000, int(refusal.allowed[-1]))}, or use type: gp3",
            )


@rule("HPC-EBS-004", Level.ERROR)
def iops_range(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`iops` is in the range of the volume's type, and not more than its size allows.

    Source: EC2 API reference, EbsBlockDevice; EBS user guide, volume types.
    """
    for use, refusal in _refused(cluster, "iops", Why.NOT_SOLD):
        kind, iops = ebs_type(use.disk.type), use.disk.iops or 0
        assert kind is not None
        gib, most = use.disk.size.in_gib, most_iops(kind, use.disk.size.in_gib)
        if refusal.because_of is None:
            reason = f"{kind.type} has {refusal.allowed[0]} to {refusal.allowed[-1]} iops"
        else:
            reason = f"{kind.type} has {kind.iops_per_gib} iops per GiB, and so {most} with {gib:g} GiB"
        remedy = f"use {max(int(refusal.allowed[0]), min(iops, most))}"
        if kind.iops_per_gib and most < iops <= (kind.max_iops or 0):
            remedy += f", or size: {-(-iops // kind.iops_per_gib)}GiB"
        yield Problem(path=(*use.path, "iops"), value=iops, reason=reason, remedy=remedy)


@rule("HPC-EBS-005", Level.ERROR)
def throughput_range(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`throughput` is for gp3 only, in its range, and not more than its iops allow.

    Source: EC2 API reference, EbsBlockDevice; EBS user guide, volume types.
    """
    for use, refusal in _refused(cluster, "throughput"):
        kind, mibs = ebs_type(use.disk.type), use.disk.throughput or 0
        assert kind is not None
        if refusal.why is Why.NOT_TAKEN:
            reason, remedy = f"the throughput of {kind.type} can't be ordered", "leave it out, or use type: gp3"
        elif refusal.because_of is None:
            least, most = int(refusal.allowed[0]), int(refusal.allowed[-1])
            reason, remedy = f"{kind.type} has {least} to {most} MiB/s", f"use {least if mibs < least else most}"
        else:
            iops = use.disk.iops or kind.min_iops
            reason = f"{iops} iops allow {refusal.allowed[-1]} MiB/s"
            remedy = f"use iops: {-int(-mibs // (kind.mibs_per_iops or 1))}, or less throughput"
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


def _refused(cluster: AwsClusterSpec, field: str, *whys: Why) -> Iterator[tuple[DiskUse, Refusal]]:
    """What EBS would refuse in a field of the cluster's disks, for any or some reasons."""
    for use in disks(cluster):
        disk = use.disk
        order = VolumeOrder(type=disk.type, size_gib=disk.size.in_gib, iops=disk.iops, throughput=disk.throughput)
        for refusal in volume_refusals(order):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield use, refusal
