"""File systems of a description by kind."""

from collections.abc import Iterator

from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import Lustre
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._stores import systems


def lustre_systems(cluster: GcpClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """The Lustre file systems and where they stand; `new`: only those that the cluster makes."""
    return systems(cluster, Lustre, new=new)


def made(cluster: GcpClusterSpec) -> Iterator[tuple[Path, Lustre | Nfs]]:
    """All file systems that the cluster makes."""
    yield from lustre_systems(cluster)
    yield from systems(cluster, Nfs)


def store_zone(cluster: GcpClusterSpec, store: Lustre) -> str:
    """The zone of a Lustre file system: its own, or the cluster's."""
    return store.zone or cluster.zone
