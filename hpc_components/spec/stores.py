from collections.abc import Iterator
from typing import TypeVar

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.storage import FileSystem, LustreFileSystem

S = TypeVar("S", bound=FileSystem)


def home_store(cluster: ClusterSpec) -> FileSystem | None:
    """Return the file system with the home directories; None if each node has its own."""
    return next((store for store in cluster.storage.values() if store.mount.rstrip("/") == "/home"), None)


def uses_lustre(cluster: ClusterSpec) -> bool:
    return any(isinstance(store, LustreFileSystem) for store in cluster.storage.values())


def systems(cluster: ClusterSpec, kind: type[S], *, new: bool = True) -> Iterator[tuple[Path, S]]:
    """Yield (path, file system) for each file system of type `kind`. If `new` is true, skip existing file systems."""
    for name, store in cluster.storage.items():
        if isinstance(store, kind) and not (new and store.mounted):
            yield ("storage", name), store
