"""Rules on existing file systems: whether what is written of them is of one, and in reach."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from hpc_components.aws.catalog.file_system_names import read_file_system_name
from hpc_components.aws.rules._stores import lustre_systems, nfs_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.address_ranges import unroutable
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []


@rule("HPC-MNT-008", Level.ERROR)
def lustre_name(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """What an existing Lustre file system's DNS name says is true: its id, its service, the cluster's region.

    Else the mount fails on every node, and none joins; or another file system is mounted. One of another region is in
    reach over peered networks at best, by its address. Source: FSx for Lustre user guide, "Mounting from on-premises
    or a peered Amazon VPC".
    """
    for path, lustre in lustre_systems(cluster, new=False):
        if lustre.existing is None:
            continue
        host, id = lustre.existing.dns_name, lustre.existing.id
        name = read_file_system_name(host)
        if name is None and not re.fullmatch(r"fs-[a-z0-9.-]+", host):
            continue
        if name is None:
            reason, remedy = _cut(host), f"write {host.partition('.')[0]}.fsx.{cluster.region}.amazonaws.com"
        elif name.service == "efs":
            reason, remedy = (
                "that is a file system of EFS, not of FSx",
                "mount it as an nfs file system with existing.server, or name FSx's",
            )
        elif name.region != cluster.region:
            reason = f"it is a file system of {name.region}, the cluster is in {cluster.region}"
            remedy = f"name one of {cluster.region}: `aws fsx describe-file-systems --region {cluster.region}`"
        elif name.id != id and re.fullmatch(r"fs-[0-9a-f]{8,17}", id):
            reason = f"it is the name of {name.id}, and id is {id}"
            remedy = f"write both from one entry of `aws fsx describe-file-systems --region {cluster.region}`"
        else:
            continue
        yield Problem(path=(*path, "existing", "dns_name"), value=host, reason=reason, remedy=remedy)


@rule("HPC-MNT-009", Level.ERROR)
def nfs_server(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The server of an existing export is another host, and one of AWS's file systems is of the cluster's region.

    What FSx for OpenZFS exports begins with /fsx; another path is warned about. Source: FSx for OpenZFS user guide,
    "Step 2: Mount your file system"; EFS user guide, "Mounting on EC2 with a DNS name".
    """
    for path, nfs in nfs_systems(cluster, new=False):
        if nfs.existing is None:
            continue
        server, name, address = (
            nfs.existing.server,
            read_file_system_name(nfs.existing.server),
            _address(nfs.existing.server),
        )
        level, field = None, "server"
        if server.lower().partition(".")[0] == "localhost" or (address and unroutable(IPv4Network(address))):
            reason, remedy = f"each node would look for {server} on itself", "name the server's host or address"
        elif name is None and re.fullmatch(r"fs-[a-z0-9.-]+", server):
            reason, remedy = (
                _cut(server),
                f"write {server.partition('.')[0]}.efs.{cluster.region}.amazonaws.com, or .fsx.",
            )
        elif name and name.region != cluster.region:
            reason = f"it is a file system of {name.region}, the cluster is in {cluster.region}"
            command = f"aws {name.service} describe-file-systems --region {cluster.region}"
            remedy = f"name one of {cluster.region}: `{command}`"
        elif name and name.service == "fsx" and not (name.before or _within(nfs.existing.export, "/fsx")):
            reason = f"FSx for OpenZFS exports /fsx and what is below, not {nfs.existing.export}"
            remedy, level, field = "write export: /fsx, or a volume's path below it", Level.WARNING, "export"
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


def _cut(host: str) -> str:
    return f"{host} is not the whole name of a file system, which ends in its region and amazonaws.com"


def _within(path: str, directory: str) -> bool:
    return path.rstrip("/") == directory or path.startswith(f"{directory}/")
