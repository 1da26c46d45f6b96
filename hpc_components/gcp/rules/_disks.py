from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.catalog import Machine
from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.queue_defaults import root_size
from hpc_components.spec.rules._fleet import facts


@dataclass(frozen=True, kw_only=True)
class DiskUse:
    """A disk that the description specifies, or a node's default disk."""

    path: Path
    disk: GcpDisk
    root: bool
    machines: tuple[Machine, ...]
    """Machine types that the disk may be attached to. Types that are not in the catalogue are left out."""


def disks(cluster: GcpClusterSpec) -> Iterator[DiskUse]:
    """Yield the disks of the head node, the login nodes and each queue's nodes, counting one node per queue."""
    head = cluster.head_node
    for path, disk in ((("head_node", "root"), head.root), (("head_node", "state"), head.state)):
        yield DiskUse(path=path, disk=disk, root=path[1] == "root", machines=_known(cluster, head.machine))
    if login := cluster.login_nodes:
        held = _known(cluster, login.machine)
        yield DiskUse(path=("login_nodes", "root"), disk=login.root, root=True, machines=held)
    for index, queue in enumerate(cluster.queues):
        disk = queue.root or GcpDisk(size=root_size(queue))
        held = _known(cluster, *queue.machines)
        yield DiskUse(path=("queues", index, "root"), disk=disk, root=True, machines=held)


def _known(cluster: GcpClusterSpec, *names: str) -> tuple[Machine, ...]:
    return tuple(found for name in names if (found := facts(cluster, name)))
