"""The disks of a description, with their paths and machines."""

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
    """A disk that a description specifies or that its nodes have by default."""

    path: Path
    disk: GcpDisk
    root: bool
    """Whether it is a boot disk."""
    machines: tuple[Machine, ...]
    """Types of the machines that it may be attached to; only those in the catalogue."""


def disks(cluster: GcpClusterSpec) -> Iterator[DiskUse]:
    """Yield the disks of the cluster's nodes, counting one representative node per queue."""
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
