"""Rules on existing file systems: whether what is written of them is of one, and in reach."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from hpc_components.aws.rules._stores import lustre_systems, nfs_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._ranges import is_public, unroutable

__all__: list[str] = []

_AWS_NAME = re.compile(
    r"([a-z0-9-]+\.)?(fs-[0-9a-f]+)\.(fsx|efs)\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?", re.IGNORECASE
)


@dataclass(frozen=True)
class _AwsName:
    """What the DNS name of a file system says. Source: FSx for Lustre, OpenZFS and EFS user guides, mounting."""

    before: str
    """What stands before the id: a zone, or the storage virtual machine of ONTAP."""
    id: str
    service: str
    region: str


def _aws_name(host: str) -> _AwsName | None:
    match = _AWS_NAME.fullmatch(host)
    return _AwsName((match[1] or "").lower(), *(match[part].lower() for part in (2, 3, 4))) if match else None


@rule("HPC-MNT-006", Level.WARNING)
def mounted_once(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing file system is mounted once.

    At two places it has the same files: what is thrown away as scratch in one is gone from the other.
    """
    first: dict[tuple[str, ...], str] = {}
    for path, systems in _existing(cluster):
        other = first.setdefault(systems, str(path[1]))
        if other != path[1]:
            yield Problem(
                path=(*path, "existing"),
                reason=f"storage {other} mounts the same file system ({', '.join(systems)})",
                remedy="name the other file system that was meant, or leave one of them out",
            )


@rule("HPC-MNT-007", Level.WARNING)
def existing_in_reach(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing file system is in an existing network.

    A network that is made for the cluster has no way to it until somebody connects the two; at first boot no node can
    mount it, and none joins. Source: FSx for Lustre user guide, "File system access control with Amazon VPC".
    """
    if cluster.network.cidr is None:
        return
    for path, systems in _existing(cluster):
        host = systems[0]
        address = _address(host)
        if host.startswith("fs-") or _aws_name(host) or (address and not is_public(IPv4Network(address))):
            yield Problem(
                path=(*path, "existing"),
                reason=f"{host} is in another network than {cluster.network.cidr}, which is made for this cluster: "
                "nodes have no way to it",
                remedy="put the cluster into its network (network.existing), or connect the two by peering before "
                "nodes boot, and silence this",
            )


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
        name = _aws_name(host)
        if name is None and not re.fullmatch(r"fs-[a-z0-9.-]+", host):
            continue
        if name is None:
            reason, remedy = _cut(host), f"write {host.partition('.')[0]}.fsx.{cluster.region}.amazonaws.com"
        elif name.service == "efs":
            reason, remedy = (
                "that is a file system of EFS, not of FSx",
                "use type: nfs with existing.server, or FSx's",
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
        server, name, address = nfs.existing.server, _aws_name(nfs.existing.server), _address(nfs.existing.server)
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


def _existing(cluster: AwsClusterSpec) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Where existing file systems stand, and what tells them apart."""
    for path, lustre in lustre_systems(cluster, new=False):
        if lustre.existing:
            yield path, (lustre.existing.id,)
    for path, nfs in nfs_systems(cluster, new=False):
        if nfs.existing:
            yield path, (nfs.existing.server, nfs.existing.export.rstrip("/") or "/")


def _address(host: str) -> IPv4Address | None:
    try:
        return IPv4Address(host)
    except ValueError:
        return None


def _cut(host: str) -> str:
    return f"{host} is not the whole name of a file system, which ends in its region and amazonaws.com"


def _within(path: str, directory: str) -> bool:
    return path.rstrip("/") == directory or path.startswith(f"{directory}/")
