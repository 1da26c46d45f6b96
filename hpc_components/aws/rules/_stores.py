"""The Lustre file systems of a description, and what rules on existing file systems say."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Lustre
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._stores import systems


def lustre_systems(cluster: AwsClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """The Lustre file systems and where they stand; `new`: only those that the cluster makes."""
    return systems(cluster, Lustre, new=new)


def cut_name(host: str) -> str:
    """Return the reason why a host is not the name of a file system, of which it has the beginning."""
    return f"{host} is not the whole name of a file system, which ends in its region and amazonaws.com"
