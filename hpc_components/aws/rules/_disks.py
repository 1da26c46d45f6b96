"""The disks of a description and their use."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.nodes import AwsDisk
from hpc_components.aws.spec.queue_root import root_of
from hpc_components.spec.findings import Path


@dataclass(frozen=True, kw_only=True)
class DiskUse:
    """A disk of a description, or a default one."""

    path: Path
    disk: AwsDisk
    root: bool
    """Whether a node boots from it."""


def disks(cluster: AwsClusterSpec) -> Iterator[DiskUse]:
    """Yield the disks of all nodes, for each queue those of one node."""
    head = cluster.head_node
    yield DiskUse(path=("head_node", "root"), disk=head.root, root=True)
    yield DiskUse(path=("head_node", "state"), disk=head.state, root=False)
    if login := cluster.login_nodes:
        yield DiskUse(path=("login_nodes", "root"), disk=login.root, root=True)
    for index, queue in enumerate(cluster.queues):
        yield DiskUse(path=("queues", index, "root"), disk=root_of(queue), root=True)
