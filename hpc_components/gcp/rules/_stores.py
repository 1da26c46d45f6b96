"""The file systems of a description, by kind."""

from collections.abc import Iterator

from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import Lustre
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._stores import systems


def lustre_systems(cluster: GcpClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """Return the Lustre file systems with their paths; `new`: only those that the cluster creates."""
    return systems(cluster, Lustre, new=new)


def made(cluster: GcpClusterSpec) -> Iterator[tuple[Path, Lustre | Nfs]]:
    """Yield all file systems that the cluster creates."""
    yield from lustre_systems(cluster)
    yield from systems(cluster, Nfs)


def store_zone(cluster: GcpClusterSpec, store: Lustre) -> str:
    """Return the zone of a Lustre file system: its own, or the cluster's."""
    return store.zone or cluster.zone
