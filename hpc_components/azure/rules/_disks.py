"""The disks of a description: their paths and purposes."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.nodes import AzureDisk
from hpc_components.azure.spec.queue_root import root_of
from hpc_components.spec.findings import Path


@dataclass(frozen=True, kw_only=True)
class DiskUse:
    """A disk that is given in a description or exists by default."""

    path: Path
    disk: AzureDisk
    root: bool
    """Whether a machine boots from it."""
    zone: str
    """Zone of its machine; the first if there are several."""


def disks(cluster: AzureClusterSpec) -> Iterator[DiskUse]:
    """Yield every disk of the cluster's nodes; of each queue, the disk of one node."""
    head, zone = cluster.head_node, cluster.zone
    yield DiskUse(path=("head_node", "root"), disk=head.root, root=True, zone=zone)
    yield DiskUse(path=("head_node", "state"), disk=head.state, root=False, zone=zone)
    if login := cluster.login_nodes:
        first = (*login.zones, zone)[0]
        yield DiskUse(path=("login_nodes", "root"), disk=login.root, root=True, zone=first)
    for index, queue in enumerate(cluster.queues):
        first = cluster.queue_zones(queue)[0]
        yield DiskUse(path=("queues", index, "root"), disk=root_of(queue), root=True, zone=first)
