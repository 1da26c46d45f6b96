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

    Source: ParallelCluster 3.16, which refuses creation parameters together with a file system id.
    """
    yield from _beside_existing(cluster, NfsFileSystem)


@rule("HPC-NFS-007", Level.ERROR)
def nfs_export(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing NFS export must be specified by a host name or address and a path.

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
                reason=f"{server!r} is not a host name or IPv4 address",
                remedy=f"write only the host: {host}" if host else "write only the host, e.g. nfs.example.org",
            )
        if not re.fullmatch(r"/[^\s:]*", export):
            yield Problem(
                path=(*path, "existing", "export"),
                value=export,
                reason=f"{export!r} is not a valid export path",
                remedy="write an absolute path without spaces, e.g. /export/home",
            )


@rule("HPC-FSX-011", Level.ERROR)
def lustre_existing(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system must not have creation settings.

    Source: ParallelCluster 3.16, which refuses creation parameters together with a file system id.
    """
    yield from _beside_existing(cluster, LustreFileSystem)


@rule("HPC-MNT-006", Level.WARNING)
def mounted_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """An existing file system should be mounted only once.

    If a file system is mounted twice, both directories show the same files, and files that are deleted in one
    directory disappear from the other.
    """
    first: dict[tuple[str, ...], str] = {}
    for path, existing in _existing(cluster):
        systems = existing.identity
        other = first.setdefault(systems, str(path[1]))
        if other != path[1]:
            yield Problem(
                path=(*path, "existing"),
                reason=f"storage {other} mounts the same file system ({', '.join(systems)})",
                remedy="specify a different file system, or remove one of the two entries",
            )


@rule("HPC-MNT-007", Level.WARNING)
def existing_in_reach(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster with an existing file system should be in an existing network.

    A new network has no route to the file system until the two networks are connected. Until then, nodes can't mount
    the file system and therefore can't join the cluster at their first boot. Source: on AWS, FSx for Lustre user
    guide, "File system access control with Amazon VPC".
    """
    if cluster.network.cidr is None:
        return
    for path, existing in _existing(cluster):
        host = existing.identity[0]
        if existing.is_inside_a_network and not is_in_range(host, cluster.network.cidr):
            yield Problem(
                path=(*path, "existing"),
                reason=f"{host} is outside {cluster.network.cidr}, the range of the cluster's new network, so nodes "
                "have no route to the file system",
                remedy="create the cluster in the file system's network (network.existing), or peer the two "
                "networks before nodes boot and silence this warning",
            )


def _existing(cluster: ClusterSpec) -> Iterator[tuple[Path, Existing]]:
    for name, system in cluster.storage.items():
        if system.mounted:
            yield ("storage", name), system.mounted


def _beside_existing(cluster: ClusterSpec, kind: type[FileSystem]) -> Iterator[Problem]:
    for name, system in cluster.storage.items():
        making = system.model_fields_set - {"type", "mount", "existing"}
        for field in sorted(making) if isinstance(system, kind) and system.mounted else ():
            yield Problem(
                path=("storage", name, field),
                reason=f"{field} applies only to new file systems, but this one already exists",
                remedy="leave it out",
            )
