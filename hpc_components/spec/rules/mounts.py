import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import PurePosixPath

from hpc_components.catalog import reserved_mount
from hpc_components.catalog.mounts import is_mount_directory
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem, dotted
from hpc_components.spec.rule import rule
from hpc_components.spec.stores import home_store
from hpc_components.wording import any_of

CLUSTER_DIRECTORY = "/opt/hpc"


@rule("HPC-MNT-001", Level.ERROR)
def mount_absolute(cluster: ClusterSpec) -> Iterator[Problem]:
    """A mount directory must begin with `/`, must not end with `/`, and must not contain blanks or `..`.

    Source: ParallelCluster 3.16, SharedStorageMountDirValidator; fstab(5).
    """
    for path, mount in _mounts(cluster):
        if not _clean(mount):
            proposed = "/" + "/".join(re.findall(r"[A-Za-z0-9._+-]*[A-Za-z0-9][A-Za-z0-9._+-]*", mount))
            yield Problem(
                path=path,
                value=mount,
                reason=f"fstab doesn't accept {mount!r} as a mount directory",
                remedy="use an absolute path" + (f": {proposed}" if _clean(proposed) else ": /scratch"),
            )


@rule("HPC-MNT-002", Level.ERROR)
def mount_free(cluster: ClusterSpec) -> Iterator[Problem]:
    """Mounts must not cover directories that the system or Slurm needs.

    Source: ParallelCluster 3.16, SharedStorageMountDirValidator.
    """
    for path, mount in _mounts(cluster):
        if not _clean(mount):
            continue
        taken = reserved_mount(cluster.cloud, mount) or (
            CLUSTER_DIRECTORY if PurePosixPath(mount).is_relative_to(CLUSTER_DIRECTORY) else None
        )
        if taken:
            yield Problem(
                path=path,
                value=mount,
                reason=f"{mount} would hide the node's own files in {taken}",
                remedy=f"use a separate directory: /{PurePosixPath(mount).name or 'scratch'}"
                if reserved_mount(cluster.cloud, f"/{PurePosixPath(mount).name}") is None
                else "use a separate directory: /scratch",
            )


@rule("HPC-MNT-003", Level.ERROR)
def mounts_apart(cluster: ClusterSpec) -> Iterator[Problem]:
    """File systems must not be mounted on or inside one another.

    Otherwise, the mount order would determine which file system is visible. Source: ParallelCluster 3.16,
    OverlappingMountDirValidator.
    """
    mounts = [(path, mount) for path, mount in _storage(cluster) if _clean(mount)]
    for (first, one), (second, other) in combinations(mounts, 2):
        if _overlap(one, other):
            yield Problem(
                path=second,
                value=other,
                reason=f"{dotted(first[:-1])} is mounted at {one}" + (" too" if one == other else ""),
                remedy="use two separate directories, neither inside the other",
            )


@rule("HPC-MNT-004", Level.ERROR)
def scratch_apart(cluster: ClusterSpec) -> Iterator[Problem]:
    """Local scratch must not be mounted on, inside or above a shared file system.

    Source: ParallelCluster 3.16, which warns about such mounts.
    """
    for path, mount in _local(cluster):
        for shared, other in _storage(cluster):
            if _clean(mount) and _clean(other) and _overlap(mount, other):
                yield Problem(
                    path=path,
                    value=mount,
                    reason=f"{dotted(shared[:-1])} is mounted at {other}",
                    remedy="use a separate directory: "
                    + next(
                        (free for free in ("/scratch", "/local", "/nvme") if not _overlap(free, other)), "/scratch"
                    ),
                )


@rule("HPC-MNT-005", Level.WARNING)
def shared_home(cluster: ClusterSpec) -> Iterator[Problem]:
    """All nodes should share /home.

    Otherwise, job scripts, job output and users' SSH keys exist on only one node. If that is a login node, they are
    lost when the node is replaced.
    """
    if home_store(cluster) is None:
        yield Problem(
            path=("storage",),
            reason="no file system is mounted at /home, so each node has separate home directories",
            remedy="add home: {type: nfs, mount: /home, size: 1TiB}" + _moved(cluster),
        )


def _moved(cluster: ClusterSpec) -> str:
    """Return a clause to append to a remedy, about mounts that must be moved because they conflict with /home."""
    taken = [dotted(path) for path, mount in _mounts(cluster) if _clean(mount) and _overlap(mount, "/home")]
    return f", and mount {any_of(taken)} elsewhere" if taken else ""


def _storage(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for name, store in cluster.storage.items():
        yield ("storage", name, "mount"), store.mount


def _local(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for index, queue in enumerate(cluster.queues):
        if queue.local_scratch is not None:
            yield ("queues", index, "local_scratch"), queue.local_scratch


def _mounts(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    yield from _storage(cluster)
    yield from _local(cluster)


def _clean(mount: str) -> bool:
    return mount == "/" or is_mount_directory(mount)


def _overlap(one: str, other: str) -> bool:
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first.is_relative_to(second) or second.is_relative_to(first)
