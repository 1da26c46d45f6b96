from collections.abc import Iterator

from hpc_components.azure.lustre.model import Lustre
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.stores import systems


def lustre_systems(cluster: AzureClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """Yield (path, file system) for each Lustre file system. If `new` is true, leave out existing file systems."""
    return systems(cluster, Lustre, new=new)


def lustre_zone(cluster: AzureClusterSpec, lustre: Lustre) -> str:
    return lustre.zone or cluster.zone
