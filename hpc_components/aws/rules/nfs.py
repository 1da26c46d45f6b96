"""Rules on NFS file systems: FSx for OpenZFS and EFS."""

from collections.abc import Iterator

from hpc_components.aws.catalog.filesystems import openzfs, openzfs_sold
from hpc_components.aws.catalog.openzfs import OpenZfsOrder, openzfs_refusals
from hpc_components.aws.rules._stores import efs_systems, nfs_systems, wrong_backups
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Nfs
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._sizes import not_whole_gib

__all__: list[str] = []

LEAST_PER_NODE = 1
"""MB/s of a home file system for each node when all of them read at once; below, a job's start takes minutes."""


@rule("HPC-NFS-001", Level.ERROR)
def nfs_has_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An NFS file system that is to be made has a size.

    FSx makes none without. Source: FSx API reference, CreateFileSystem, StorageCapacity: from 64 GiB with OpenZFS.
    """
    for path, _, refusal in _refused(cluster, "size_gib", Why.MISSING):
        yield Problem(
            path=path,
            reason="it has neither size nor existing",
            remedy=f"add size: 1TiB ({refusal.allowed[0]}GiB at least); or existing",
        )


@rule("HPC-NFS-002", Level.ERROR)
def nfs_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An NFS file system has 64 GiB to 512 TiB, in whole GiB.

    Source: FSx API reference, CreateFileSystem, StorageCapacity.
    """
    for path, nfs, refusal in _refused(cluster, "size_gib", Why.NOT_SOLD):
        assert nfs.size is not None
        gib, least, most = nfs.size.in_gib, int(refusal.allowed[0]), int(refusal.allowed[-1])
        if least <= gib <= most:
            reason, remedy = not_whole_gib(nfs.size, "FSx")
        else:
            reason = f"FSx for OpenZFS has {least} GiB to {most // 1024} TiB"
            remedy = f"use {least if gib < least else most}GiB"
        yield Problem(path=(*path, "size"), value=str(nfs.size), reason=reason, remedy=remedy)


@rule("HPC-NFS-003", Level.ERROR)
def nfs_throughput(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The throughput of an NFS file system is one that its deployment has.

    Source: FSx API reference, CreateFileSystemOpenZFSConfiguration, ThroughputCapacity.
    """
    for path, nfs, refusal in _refused(cluster, "throughput"):
        given, sold = nfs.given("throughput"), [int(mbps) for mbps in refusal.allowed]
        above = next((one for one in sold if one > nfs.throughput), sold[-1])
        yield Problem(
            path=(*path, "throughput") if given else (*path, "deployment"),
            value=nfs.throughput if given else nfs.deployment,
            reason=f"{nfs.deployment} has {', '.join(map(str, sold))} MB/s, not {nfs.throughput}"
            + ("" if given else ", the default"),
            remedy=f"use throughput: {above}",
        )


@rule("HPC-NFS-004", Level.ERROR)
def nfs_backups(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """FSx for OpenZFS keeps daily backups for 1 to 90 whole days.

    Source: FSx API reference, CreateFileSystemOpenZFSConfiguration, AutomaticBackupRetentionDays.
    """
    for path, nfs, refusal in _refused(cluster, "backup_days"):
        yield wrong_backups(path, nfs.backups, refusal, none="null")


@rule("HPC-NFS-005", Level.ERROR)
def nfs_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An NFS file system with failover is in two zones.

    It takes the cluster's first two. Source: FSx API reference, CreateFileSystem, SubnetIds.
    """
    for path, nfs in nfs_systems(cluster):
        if nfs.deployment == "multi_az_1" and len(cluster.zones) < 2:
            yield Problem(
                path=(*path, "deployment"),
                value=nfs.deployment,
                reason=f"multi_az_1 needs two zones, and the cluster is in {cluster.zone} only",
                remedy="name a second zone for the login nodes or a queue (zones: [...]), or use deployment:"
                " single_az_1 with throughput: 128",
            )


@rule("HPC-NFS-008", Level.WARNING)
def nfs_for_many(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An NFS file system has at least 1 MB/s for each node.

    When a job starts on all nodes, each reads its program and libraries from /home. Source: ParallelCluster 3.16
    warns from 100 nodes on one NFS server; the figure is ours.
    """
    for path, nfs in nfs_systems(cluster):
        sold = openzfs(nfs.deployment)
        if sold is None or nfs.throughput not in sold.throughputs:
            continue
        if nfs.throughput < cluster.max_nodes * LEAST_PER_NODE:
            more = next((one for one in sold.throughputs if one >= cluster.max_nodes * LEAST_PER_NODE), None)
            yield Problem(
                path=(*path, "throughput") if nfs.given("throughput") else path,
                value=nfs.throughput,
                reason=f"{nfs.throughput} MB/s for {cluster.max_nodes} nodes is "
                f"{nfs.throughput / cluster.max_nodes:.2f} MB/s for each",
                remedy=f"use throughput: {more}, or keep programs on Lustre" if more else "keep programs on Lustre",
            )


@rule("HPC-NFS-009", Level.INFO)
def efs_bursts(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """EFS in bursting mode is slow while it is small.

    It earns 50 KiB/s for each GiB that it holds, and so 5 MiB/s with 100 GiB. Source: EFS user guide, "Performance".
    """
    for path, efs in efs_systems(cluster):
        if efs.throughput_mode == "bursting":
            yield Problem(
                path=(*path, "throughput_mode"),
                value="bursting",
                reason="it earns 50 KiB/s for each GiB that it holds: 5 MiB/s with 100 GiB, when credits are spent",
                remedy="use elastic, which is paid per GB moved; or an nfs file system in its place",
            )


@rule("HPC-NFS-010", Level.INFO)
def nfs_across_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes in other zones than an NFS file system lose it when its zone fails, and their traffic is paid for.

    Source: EC2 pricing, data transfer between zones.
    """
    away = [zone for zone in cluster.zones if zone != cluster.zone]
    for path, nfs in nfs_systems(cluster):
        if away and nfs.deployment.startswith("single_az"):
            yield Problem(
                path=(*path, "deployment") if nfs.given("deployment") else path,
                value=nfs.deployment,
                reason=f"it is in {cluster.zone}, and nodes are in {', '.join(away)} too",
                remedy="use deployment: multi_az_1 with throughput: 160 if they must work on when a zone fails; or an"
                " efs file system",
            )


@rule("HPC-NFS-011", Level.ERROR)
def failover_in_own_network(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An NFS file system with failover is in a network that the cluster makes.

    Its floating address is written into the route tables of all clients, and nothing in a network of yours is
    changed. Source: FSx API reference, CreateFileSystemOpenZFSConfiguration, RouteTableIds.
    """
    for path, nfs in nfs_systems(cluster):
        if nfs.deployment == "multi_az_1" and cluster.network.existing is not None:
            yield Problem(
                path=(*path, "deployment"),
                value=nfs.deployment,
                reason="its floating address would have to be written into the route tables of your network",
                remedy="make it yourself and name it (existing), or use deployment: single_az_1 with throughput: 128;"
                " or an efs file system",
            )


@rule("HPC-NFS-012", Level.INFO)
def nfs_ports(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Your own security groups let nodes reach NFS.

    Source: FSx for OpenZFS user guide, "File system access control with Amazon VPC"; EFS user guide, "Using VPC
    security groups".
    """
    groups = cluster.network.existing.security_groups if cluster.network.existing else None
    zfs, efs = any(nfs_systems(cluster)), any(efs_systems(cluster))
    if groups is not None and (zfs or efs):
        ports = "TCP and UDP 111, 2049 and 20001 to 20003" if zfs else "TCP 2049"
        yield Problem(
            path=("network", "existing", "security_groups"),
            reason=f"what they let through can't be seen from here, and NFS needs {ports} from all nodes",
            remedy=f"make sure that {', '.join(groups.storage) or 'the storage groups'} let it in",
        )


@rule("HPC-NFS-013", Level.ERROR)
def nfs_sold_here(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The deployment of an NFS file system is sold in the cluster's region.

    The second generation is not sold everywhere. Source: FSx for OpenZFS user guide, "Availability by AWS Region".
    """
    first = openzfs("single_az_1")
    for path, nfs in nfs_systems(cluster):
        sold = openzfs_sold(nfs.deployment, cluster.region)
        if sold or first is None:
            continue
        throughput = next((one for one in first.throughputs if one >= nfs.throughput), first.throughputs[-1])
        yield Problem(
            path=(*path, "deployment"),
            value=nfs.deployment,
            reason=f"FSx for OpenZFS has no {nfs.deployment} in {cluster.region}"
            if sold is False
            else f"it is not known here whether FSx for OpenZFS has {nfs.deployment} in {cluster.region}",
            remedy=f"use deployment: single_az_1 with throughput: {throughput}",
            level=Level.WARNING if sold is None else None,
        )


def _refused(cluster: AwsClusterSpec, field: str, *whys: Why) -> Iterator[tuple[Path, Nfs, Refusal]]:
    """What FSx would refuse in a field of the file systems that the cluster makes, for any or some reasons."""
    for path, nfs in nfs_systems(cluster):
        order = OpenZfsOrder(
            deployment=nfs.deployment,
            region=cluster.region,
            size_gib=None if nfs.size is None else nfs.size.in_gib,
            throughput=nfs.throughput,
            backup_days=None if nfs.backups is None else nfs.backups.days,
        )
        for refusal in openzfs_refusals(order):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield path, nfs, refusal
