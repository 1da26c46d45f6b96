import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from hpc_components.aws.catalog.file_system_names import read_file_system_name
from hpc_components.aws.home.model import Efs, Nfs, order_of
from hpc_components.aws.home.offer import LIMITS, OpenZfsOrder, openzfs, refusals
from hpc_components.aws.rules._stores import cut_name
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.address_ranges import unroutable
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.stores import systems
from hpc_components.spec.surfaces import Surface, offer_rules

MIN_MBPS_PER_NODE = 1
"""Minimum throughput per node, in MB/s, when all nodes read at the same time. At lower rates, jobs take minutes to
start."""


def _orders(cluster: AwsClusterSpec) -> Iterator[tuple[OpenZfsOrder, Surface]]:
    return (order_of(nfs, path, cluster) for path, nfs in systems(cluster, Nfs))


offer_rules(__name__, AwsClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-NFS-008", Level.WARNING)
def nfs_for_many(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An NFS file system should provide a throughput of at least 1 MB/s per node.

    When a job starts on all nodes, each node reads the program and its libraries from /home. Source: our own
    estimate; ParallelCluster 3.16 warns if an NFS server has 100 nodes or more.
    """
    for path, nfs in systems(cluster, Nfs):
        sold = openzfs(nfs.deployment)
        if sold is None or nfs.throughput not in sold.throughputs:
            continue
        if nfs.throughput < cluster.max_nodes * MIN_MBPS_PER_NODE:
            more = next((one for one in sold.throughputs if one >= cluster.max_nodes * MIN_MBPS_PER_NODE), None)
            yield Problem(
                path=(*path, "throughput") if nfs.given("throughput") else path,
                value=nfs.throughput,
                reason=f"{nfs.throughput} MB/s for {cluster.max_nodes} nodes is "
                f"{nfs.throughput / cluster.max_nodes:.2f} MB/s per node",
                remedy=f"use throughput: {more}, or keep programs on Lustre" if more else "keep programs on Lustre",
            )


@rule("HPC-NFS-009", Level.INFO)
def efs_bursts(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """EFS in bursting mode is slow while it contains little data.

    The baseline throughput is 50 KiB/s per GiB stored, which is only 5 MiB/s for 100 GiB. Source: EFS user guide,
    "Performance".
    """
    for path, efs in systems(cluster, Efs):
        if efs.throughput_mode == "bursting":
            yield Problem(
                path=(*path, "throughput_mode"),
                value="bursting",
                reason="when its burst credits are used up, EFS delivers only 50 KiB/s per GiB stored, which is 5 "
                "MiB/s for 100 GiB",
                remedy="use elastic, which is billed per GB transferred, or use an nfs file system instead",
            )


@rule("HPC-NFS-010", Level.INFO)
def nfs_across_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes should be in the same zone as an NFS file system.

    Nodes in other zones lose access to their files if the file system's zone fails, and traffic between zones is
    billed. Source: EC2 pricing, data transfer between zones.
    """
    away = [zone for zone in cluster.zones if zone != cluster.zone]
    for path, nfs in systems(cluster, Nfs):
        if away and nfs.deployment.startswith("single_az"):
            yield Problem(
                path=(*path, "deployment") if nfs.given("deployment") else path,
                value=nfs.deployment,
                reason=f"the file system is in {cluster.zone}, but nodes are also in {', '.join(away)}",
                remedy="if nodes must keep working when a zone fails, set deployment: multi_az_1 and throughput: "
                "160, or use an efs file system",
            )


@rule("HPC-NFS-012", Level.INFO)
def nfs_ports(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Existing security groups must allow NFS traffic from nodes.

    Source: FSx for OpenZFS user guide, "File system access control with Amazon VPC"; EFS user guide, "Using VPC
    security groups".
    """
    groups = cluster.network.existing.security_groups if cluster.network.existing else None
    zfs, efs = any(systems(cluster, Nfs)), any(systems(cluster, Efs))
    if groups is not None and (zfs or efs):
        ports = "TCP and UDP 111, 2049 and 20001 to 20003" if zfs else "TCP 2049"
        yield Problem(
            path=("network", "existing", "security_groups"),
            reason=f"the description doesn't show what the security groups allow, and NFS needs {ports} from all "
            "nodes",
            remedy=f"make sure that {', '.join(groups.storage) or 'the storage groups'} allow this traffic",
        )


@rule("HPC-MNT-009", Level.ERROR)
def nfs_server(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing NFS export must be on another host, and an AWS file system must be in the cluster's region.

    Exports of FSx for OpenZFS begin with /fsx; any other path is only warned about. Source: FSx for OpenZFS user
    guide, "Step 2: Mount your file system"; EFS user guide, "Mounting on EC2 with a DNS name".
    """
    for path, nfs in systems(cluster, Nfs, new=False):
        if nfs.existing is None:
            continue
        server, name, address = (
            nfs.existing.server,
            read_file_system_name(nfs.existing.server),
            _address(nfs.existing.server),
        )
        level, field = None, "server"
        if server.lower().partition(".")[0] == "localhost" or (address and unroutable(IPv4Network(address))):
            reason, remedy = (
                f"on each node, {server} would refer to the node itself",
                "use the server's host name or address",
            )
        elif name is None and re.fullmatch(r"fs-[a-z0-9.-]+", server):
            reason, remedy = (
                cut_name(server),
                f"write {server.partition('.')[0]}.efs.{cluster.region}.amazonaws.com, or the same name with "
                "fsx instead of efs",
            )
        elif name and name.region != cluster.region:
            reason = f"the file system is in {name.region}, but the cluster is in {cluster.region}"
            command = f"aws {name.service} describe-file-systems --region {cluster.region}"
            remedy = f"specify a file system in {cluster.region}, as listed by `{command}`"
        elif name and name.service == "fsx" and not (name.before or _within(nfs.existing.export, "/fsx")):
            reason = f"FSx for OpenZFS exports /fsx and paths under it, not {nfs.existing.export}"
            remedy, level, field = "write export: /fsx, or the path of a volume under /fsx", Level.WARNING, "export"
        else:
            continue
        yield Problem(
            path=(*path, "existing", field),
            value=getattr(nfs.existing, field),
            reason=reason,
            remedy=remedy,
            level=level,
        )


def _address(host: str) -> IPv4Address | None:
    try:
        return IPv4Address(host)
    except ValueError:
        return None


def _within(path: str, directory: str) -> bool:
    return path.rstrip("/") == directory or path.startswith(f"{directory}/")
