"""Lustre file systems of a description, and messages about existing file systems."""

from collections.abc import Iterator

from hpc_components.aws.lustre.model import Lustre
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._stores import systems


def lustre_systems(cluster: AwsClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """Yield the Lustre file systems with their paths. If `new`, yield only those that the cluster creates."""
    return systems(cluster, Lustre, new=new)


def cut_name(host: str) -> str:
    """Return why a file system's DNS name is refused if it is incomplete."""
    return f"{host} is incomplete: the name of a file system ends in its region and amazonaws.com"
