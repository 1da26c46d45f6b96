from collections.abc import Iterator

from hpc_components.aws.lustre.model import Lustre
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.stores import systems


def lustre_systems(cluster: AwsClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """Yield the Lustre file systems with their paths. If `new` is set, yield only those that the cluster creates."""
    return systems(cluster, Lustre, new=new)


def cut_name(host: str) -> str:
    return f"{host} is incomplete: a file system's DNS name ends in its region and amazonaws.com"
