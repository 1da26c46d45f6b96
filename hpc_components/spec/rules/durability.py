from collections.abc import Iterator
from pathlib import PurePosixPath

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.durability import Weakness
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.storage import FileSystem

HOME = "/home"


@rule("HPC-DUR-001", Level.WARNING)
def homes_outlive_a_server(cluster: ClusterSpec) -> Iterator[Problem]:
    """Home directories should be on a replicated file system.

    Scratch file systems keep only a single copy of each file, so files are lost if a server fails. Clusters with
    `throw_away` are not checked. Source: FSx for Lustre user guide, "Deployment and storage class options": no
    replication, data does not persist if a server fails; FSx API reference, LustreFileSystemConfiguration.
    """
    for path, store in _homes(cluster):
        if weakness := store.durability.failure:
            yield _problem(path, store, weakness)


@rule("HPC-DUR-002", Level.WARNING)
def deleted_files_come_back(cluster: ClusterSpec) -> Iterator[Problem]:
    """Deleted home files should be recoverable from backups, snapshots, or copies in a bucket.

    The finding is only informational if the cloud offers none of these or the description has no key for them.
    Clusters with `throw_away` are not checked. Source: the clouds' documentation of backups, as cited in each file
    system's model.
    """
    for path, store in _homes(cluster):
        if store.durability.failure is None and (weakness := store.durability.deletion):
            yield _problem(path, store, weakness)


def _homes(cluster: ClusterSpec) -> Iterator[tuple[Path, FileSystem]]:
    """Yield the home file systems that the cluster creates, or none if `throw_away` is set."""
    for name, store in cluster.storage.items() if not cluster.throw_away else ():
        if PurePosixPath(store.mount).is_relative_to(HOME) and store.mounted is None:
            yield ("storage", name), store


def _problem(path: Path, store: FileSystem, weakness: Weakness) -> Problem:
    return Problem(
        path=path,
        about={"directory": store.mount},
        reason=f"users' files are in {store.mount}: {weakness.reason}",
        remedy=weakness.remedy,
        fix=weakness.changes(path),
        level=weakness.level,
    )
