from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hpc_components.aws.disks.offer import VolumeOrder
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Int
from hpc_components.spec.nodes import Disk
from hpc_components.spec.queue_defaults import root_size
from hpc_components.spec.surfaces import Key, Keys, Surface, described

if TYPE_CHECKING:
    from hpc_components.aws.fleet.model import AwsQueue
    from hpc_components.aws.spec.cluster import AwsClusterSpec


class AwsDisk(Disk):
    """An encrypted EBS volume."""

    type: Literal["gp3", "io1", "io2", "st1", "sc1"] = "gp3"
    """EBS volume type."""
    iops: Int | None = None
    """I/O operations per second, for gp3, io1 and io2."""
    throughput: Int | None = None
    """Throughput in MiB/s, for gp3 only."""
    kms_key: str | None = None
    """ARN of the KMS key that encrypts the volume; default: the account's default key."""


@dataclass(frozen=True, kw_only=True)
class DiskUse:
    """A disk that a description specifies explicitly or by default."""

    path: Path
    disk: AwsDisk
    root: bool
    """Whether a node boots from the disk."""


def root_of(queue: "AwsQueue") -> AwsDisk:
    return queue.root if queue.root is not None else AwsDisk(size=root_size(queue))


def disks(cluster: "AwsClusterSpec") -> Iterator[DiskUse]:
    """Yield the disks of the head node, of the login nodes, and of one node per queue."""
    head = cluster.head_node
    yield DiskUse(path=("head_node", "root"), disk=head.root, root=True)
    yield DiskUse(path=("head_node", "state"), disk=head.state, root=False)
    if login := cluster.login_nodes:
        yield DiskUse(path=("login_nodes", "root"), disk=login.root, root=True)
    for index, queue in enumerate(cluster.queues):
        yield DiskUse(path=("queues", index, "root"), disk=root_of(queue), root=True)


KEYS: Keys = {
    "type": Key(("type",)),
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "root": None,
}


def order_of(use: DiskUse, cluster: "AwsClusterSpec") -> tuple[VolumeOrder, Surface]:
    disk = use.disk
    order = VolumeOrder(
        type=disk.type, size_gib=disk.size.in_gib, iops=disk.iops, throughput=disk.throughput, root=use.root
    )
    return order, described(disk, use.path, KEYS, cluster)
