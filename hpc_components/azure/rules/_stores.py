"""Lustre file systems in a description."""

from collections.abc import Iterator

from hpc_components.azure.lustre.model import Lustre
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._stores import systems


def lustre_systems(cluster: AzureClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """Yield the Lustre file systems with their paths; with `new`, only those that the cluster creates."""
    return systems(cluster, Lustre, new=new)


def lustre_zone(cluster: AzureClusterSpec, lustre: Lustre) -> str:
    """Return a Lustre file system's zone, which is the cluster's by default."""
    return lustre.zone or cluster.zone
