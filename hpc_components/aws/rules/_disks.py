"""The disks of a description: where they stand and what they are for."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.nodes import AwsDisk
from hpc_components.aws.spec.queue_root import root_of
from hpc_components.spec.findings import Path
from hpc_components.spec.queue_defaults import is_accelerated

__all__ = ["DiskUse", "disks"]


@dataclass(frozen=True, kw_only=True)
class DiskUse:
    """A disk that stands somewhere in a description, or is there by default."""

    path: Path
    disk: AwsDisk
    root: bool
    """Whether a system boots from it."""
    image: str | None = None
    """The image of its node, if it is the user's own."""
    accelerated: bool = False
    """Whether its node needs the drivers of GPUs or other accelerators."""


def disks(cluster: AwsClusterSpec) -> Iterator[DiskUse]:
    """Every disk of the cluster's nodes; of each queue, that of one node."""
    head = cluster.head_node
    yield DiskUse(path=("head_node", "root"), disk=head.root, root=True, image=head.image)
    yield DiskUse(path=("head_node", "state"), disk=head.state, root=False)
    if login := cluster.login_nodes:
        accelerated = is_accelerated(cluster.cloud, login.machine)
        path: Path = ("login_nodes", "root")
        yield DiskUse(path=path, disk=login.root, root=True, image=login.image, accelerated=accelerated)
    for index, queue in enumerate(cluster.queues):
        path, accelerated = (
            ("queues", index, "root"),
            any(is_accelerated(queue.cloud, name) for name in queue.machines),
        )
        yield DiskUse(path=path, disk=root_of(queue), root=True, image=queue.image, accelerated=accelerated)
