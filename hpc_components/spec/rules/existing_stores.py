"""Rules on existing file systems."""

import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import is_host, is_in_range
from hpc_components.spec.storage import Existing, FileSystem, LustreFileSystem, NfsFileSystem


@rule("HPC-NFS-006", Level.ERROR)
def nfs_existing(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing NFS file system must not have creation settings.

    Source: ParallelCluster 3.16, which refuses creation parameters beside the id of a file system.
    """
    yield from _beside_existing(cluster, NfsFileSystem)


@rule("HPC-NFS-007", Level.ERROR)
def nfs_export(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing NFS export must be specified by a host or address, and a path.

    Both become `server:path` in fstab. Source: nfs(5).
    """
    for name, nfs in cluster.storage.items():
        if not (isinstance(nfs, NfsFileSystem) and nfs.existing):
            continue
        path, server, export = ("storage", name), nfs.existing.server, nfs.existing.export
        if not is_host(server):
            host = re.sub(r"^\w+://", "", server).partition("/")[0].partition(":")[0]
            yield Problem(
                path=(*path, "existing", "server"),
                value=server,
                reason=f"{server!r} is not a host or IPv4 address",
                remedy=f"write the host alone: {host}" if host else "write the host alone: nfs.example.org",
            )
        if not re.fullmatch(r"/[^\s:]*", export):
            yield Problem(
                path=(*path, "existing", "export"),
                value=export,
                reason=f"{export!r} is not an exported path",
                remedy="write it from the root, without blanks: /export/home",
            )


@rule("HPC-FSX-011", Level.ERROR)
def lustre_existing(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system must not have creation settings.

    Source: ParallelCluster 3.16, which refuses creation parameters beside the id of a file system.
    """
    yield from _beside_existing(cluster, LustreFileSystem)


@rule("HPC-MNT-006", Level.WARNING)
def mounted_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing file system should be mounted only once.

    If it is mounted twice, both directories show the same files: scratch files deleted from one are gone from the
    other.
    """
    first: dict[tuple[str, ...], str] = {}
    for path, existing in _existing(cluster):
        systems = existing.identity
        other = first.setdefault(systems, str(path[1]))
        if other != path[1]:
            yield Problem(
                path=(*path, "existing"),
                reason=f"storage {other} mounts the same file system ({', '.join(systems)})",
                remedy="name the other file system that was meant, or leave one of them out",
            )


@rule("HPC-MNT-007", Level.WARNING)
def existing_in_reach(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster with an existing file system should be in an existing network.

    A network that is made for the cluster has no route to the file system until the two are connected. Until then,
    nodes can't mount it, so none joins the cluster at first boot. Source: on AWS, FSx for Lustre user guide, "File
    system access control with Amazon VPC".
    """
    if cluster.network.cidr is None:
        return
    for path, existing in _existing(cluster):
        host = existing.identity[0]
        if existing.is_inside_a_network and not is_in_range(host, cluster.network.cidr):
            yield Problem(
                path=(*path, "existing"),
                reason=f"{host} is in another network than {cluster.network.cidr}, which is made for this cluster: "
                "nodes have no route to it",
                remedy="put the cluster into its network (network.existing), or connect the two by peering before "
                "nodes boot, and silence this",
            )


def _existing(cluster: ClusterSpec) -> Iterator[tuple[Path, Existing]]:
    """Yield (path, file system) for each existing file system."""
    for name, system in cluster.storage.items():
        if system.mounted:
            yield ("storage", name), system.mounted


def _beside_existing(cluster: ClusterSpec, kind: type[FileSystem]) -> Iterator[Problem]:
    """Yield a problem for each creation setting that an existing file system has."""
    for name, system in cluster.storage.items():
        making = system.model_fields_set - {"type", "mount", "existing"}
        for field in sorted(making) if isinstance(system, kind) and system.mounted else ():
            yield Problem(
                path=("storage", name, field),
                reason=f"{field} is for a new file system, and this one exists already",
                remedy="leave it out",
            )
