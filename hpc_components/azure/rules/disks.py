"""Rules on managed disks."""

from collections.abc import Iterator

from hpc_components.azure.catalog.disks import DiskOrder, disk_refusals, disk_type, most_disk_iops
from hpc_components.azure.rules._disks import DiskUse, disks
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._sizes import not_whole_gib
from hpc_components.wording import any_of


@rule("HPC-DSK-001", Level.ERROR)
def disk_size(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A disk's size is in the range of its type, and a root disk has at most 4,095 GiB.

    Source: Azure documentation, "Azure managed disk types" and "Introduction to managed disks", OS disk.
    """
    for use, refusal in _refused(cluster, "size_gib"):
        gib, least, most = use.disk.size.in_gib, int(refusal.allowed[0]), int(refusal.allowed[-1])
        if gib == int(gib):
            yield Problem(
                path=(*use.path, "size"),
                value=str(use.disk.size),
                reason=f"{'root disks' if use.root else use.disk.type} have {least:,} to {most:,} GiB, not {gib:,g}",
                remedy=f"use {least if gib < least else most}GiB",
            )


@rule("HPC-DSK-002", Level.ERROR)
def whole_gib(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A disk's size is a whole number of GiB.

    Source: Azure REST API reference, Disks - Create Or Update, diskSizeGB.
    """
    for use, _ in _refused(cluster, "size_gib"):
        if use.disk.size.in_gib != int(use.disk.size.in_gib):
            reason, remedy = not_whole_gib(use.disk.size, "Azure")
            yield Problem(path=(*use.path, "size"), value=str(use.disk.size), reason=reason, remedy=remedy)


@rule("HPC-DSK-003", Level.ERROR)
def speed_taken(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`iops` and `throughput` are for PremiumV2_LRS; for other types they follow from the size.

    Source: Azure documentation, "Azure managed disk types".
    """
    for field in ("iops", "throughput"):
        for use, _ in _refused(cluster, field, Why.NOT_TAKEN):
            data = use.path == ("head_node", "state")
            yield Problem(
                path=(*use.path, field),
                value=getattr(use.disk, field),
                reason=f"the speed of {use.disk.type} follows from its size",
                remedy="remove it" + (", or use type: PremiumV2_LRS" if data else ", and use a larger disk"),
            )


@rule("HPC-DSK-004", Level.ERROR)
def iops_range(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`iops` is in the range of the disk's type, and not higher than its size allows.

    Source: Azure documentation, "Azure managed disk types", Premium SSD v2.
    """
    for use, refusal in _refused(cluster, "iops", Why.NOT_SOLD):
        kind, iops, gib = disk_type(use.disk.type), use.disk.iops or 0, use.disk.size.in_gib
        assert kind is not None
        least, most = int(refusal.allowed[0]), most_disk_iops(kind, gib)
        reason = f"{kind.type} has {least} to {refusal.allowed[-1]} iops" + (
            f" with {gib:g} GiB" if refusal.because_of == "size_gib" else ""
        )
        remedy = f"use {max(least, min(iops, most))}"
        if kind.iops_per_gib and most < iops <= (kind.max_iops or 0):
            remedy += f", or size: {-(-iops // kind.iops_per_gib)}GiB"
        yield Problem(path=(*use.path, "iops"), value=iops, reason=reason, remedy=remedy)


@rule("HPC-DSK-005", Level.ERROR)
def throughput_range(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`throughput` is in the range of the disk's type, and not higher than its IOPS allow.

    Source: Azure documentation, "Azure managed disk types", Premium SSD v2.
    """
    for use, refusal in _refused(cluster, "throughput", Why.NOT_SOLD):
        kind, mbps = disk_type(use.disk.type), use.disk.throughput or 0
        assert kind is not None
        least, most = int(refusal.allowed[0]), int(refusal.allowed[-1])
        if refusal.because_of is None:
            unsure = mbps > most and "max_mbps" in kind.unsure
            reason, remedy = f"{kind.type} has {least} to {most} MB/s", f"use {least if mbps < least else most}"
        else:
            unsure, iops = False, use.disk.iops or kind.min_iops
            reason = f"{iops} iops allow {most} MB/s"
            remedy = f"use iops: {-int(-mbps // (kind.mbps_per_iops or 1))}, or throughput: {most}"
        yield Problem(
            path=(*use.path, "throughput"),
            value=mbps,
            reason=reason,
            remedy=remedy,
            level=Level.WARNING if unsure else None,
        )


@rule("HPC-DSK-006", Level.ERROR)
def boots_from(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A root disk has a type from which Azure can boot, so not PremiumV2_LRS.

    Source: Azure documentation, "Azure managed disk types", Premium SSD v2: it can't be an OS disk.
    """
    for use, refusal in _refused(cluster, "type", Why.NOT_TAKEN):
        sold = [name for name in map(str, refusal.allowed) if name.endswith("_LRS")]
        yield Problem(
            path=(*use.path, "type"),
            value=use.disk.type,
            reason=f"Azure can't boot from {use.disk.type}",
            remedy=f"use {any_of(sold)}",
        )


@rule("HPC-DSK-007", Level.ERROR)
def disk_in_zone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In a region with zones, a machine with a PremiumV2_LRS disk is in a zone.

    Source: Azure documentation, "Deploy a Premium SSD v2", limitations.
    """
    for use, _ in _refused(cluster, "zone"):
        yield Problem(
            path=(*use.path, "type"),
            value=use.disk.type,
            reason=f"{use.disk.type} is only for machines in a zone, and zone is {use.zone}",
            remedy=f"use Premium_LRS, or zone: {cluster.region}-1",
        )


@rule("HPC-DSK-008", Level.WARNING)
def state_on_ssd(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The head node's state is on an SSD.

    Slurm writes many small files, and the accounting database syncs after each transaction. Source: Slurm's High
    Throughput Computing guide, StateSaveLocation.
    """
    if cluster.head_node.state.type == "Standard_LRS":
        yield Problem(
            path=("head_node", "state", "type"),
            value="Standard_LRS",
            reason="every job causes several small writes, and a hard disk manages a few hundred per second",
            remedy="use Premium_LRS",
        )


def _refused(cluster: AzureClusterSpec, field: str, *whys: Why) -> Iterator[tuple[DiskUse, Refusal]]:
    """Yield the refusals of a field in the cluster's disks, for any or some reasons."""
    for use in disks(cluster):
        disk = use.disk
        order = DiskOrder(
            type=disk.type,
            root=use.root,
            size_gib=disk.size.in_gib,
            iops=disk.iops,
            throughput=disk.throughput,
            zone=use.zone,
        )
        for refusal in disk_refusals(order):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield use, refusal
