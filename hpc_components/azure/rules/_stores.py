"""File systems of a description by kind."""

from collections.abc import Iterator

from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import Lustre
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._stores import systems


def lustre_systems(cluster: AzureClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """The Lustre file systems and where they stand; `new`: only those that the cluster makes."""
    return systems(cluster, Lustre, new=new)


def lustre_zone(cluster: AzureClusterSpec, lustre: Lustre) -> str:
    """The zone of a Lustre file system: its own, or the cluster's."""
    return lustre.zone or cluster.zone
