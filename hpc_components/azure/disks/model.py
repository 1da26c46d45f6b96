from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpc_components.azure.catalog.images import image_gib
from hpc_components.azure.disks.offer import DiskOrder, DiskType, LocalRootOrder, billed_gib, disk_type
from hpc_components.catalog import machine
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Int
from hpc_components.spec.nodes import Disk
from hpc_components.spec.rules._fleet import facts
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Size

if TYPE_CHECKING:
    from hpc_components.azure.fleet.model import AzureQueue
    from hpc_components.azure.spec.cluster import AzureClusterSpec


class AzureDisk(Disk):
    """An encrypted managed disk."""

    type: DiskType = "Premium_LRS"
    """Managed disk type, as named by Azure. `PremiumV2_LRS` can't be used for a root disk."""
    iops: Int | None = None
    """I/O operations per second, for PremiumV2_LRS."""
    throughput: Int | None = None
    """Throughput in MB/s, for PremiumV2_LRS."""
    encryption_set: str | None = None
    """Id of a disk encryption set with a customer-managed key. By default, the disk is encrypted with Azure's key."""

    def paid_service(self) -> PaidService:
        """Return the disk as a billed service, with the size that Azure charges for."""
        kind, gib = disk_type(self.type), int(self.size.in_gib)
        if kind is None or not kind.billed_gib:
            return PaidService("disks", f"disk.{self.type}.storage", gib)
        return PaidService("disks", f"disk.{self.type}.{billed_gib(kind, gib)}", 1)


@dataclass(frozen=True, kw_only=True)
class DiskUse:
    """A disk from a description, or a default disk."""

    path: Path
    disk: AzureDisk
    root: bool
    zone: str
    """Zone of the machine that uses the disk, or the machine's first zone if there are several."""


@dataclass(frozen=True, kw_only=True)
class LocalRootUse:
    """A root disk that a queue places on local disks, for one of the queue's machine types."""

    path: Path
    """Path of the queue in the description."""
    queue: "AzureQueue"
    machine: str


def root_of(queue: "AzureQueue") -> AzureDisk:
    """Return the root disk of a queue's nodes. The default is larger for images with GPU or InfiniBand drivers."""
    if queue.root is not None:
        return queue.root
    found = [each for name in queue.machines if (each := machine(queue.cloud, name))]
    is_larger = any(each.accelerator is not None or each.has_fabric for each in found)
    return AzureDisk(size=Size.gib(128 if is_larger else 64))


def disks(cluster: "AzureClusterSpec") -> Iterator[DiskUse]:
    """Yield the disks of the head node, of one login node, and of one node per queue."""
    head, zone = cluster.head_node, cluster.zone
    yield DiskUse(path=("head_node", "root"), disk=head.root, root=True, zone=zone)
    yield DiskUse(path=("head_node", "state"), disk=head.state, root=False, zone=zone)
    if login := cluster.login_nodes:
        first = (*login.zones, zone)[0]
        yield DiskUse(path=("login_nodes", "root"), disk=login.root, root=True, zone=first)
    for index, queue in enumerate(cluster.queues):
        first = cluster.queue_zones(queue)[0]
        yield DiskUse(path=("queues", index, "root"), disk=root_of(queue), root=True, zone=first)


def local_roots(cluster: "AzureClusterSpec") -> Iterator[LocalRootUse]:
    for index, queue in enumerate(cluster.queues):
        for name in queue.machines if queue.ephemeral_root else ():
            yield LocalRootUse(path=("queues", index), queue=queue, machine=name)


KEYS: Keys = {
    "type": Key(("type",)),
    "root": None,
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "zone": Key(("zone",), outside=True),
}

LOCAL_KEYS: Keys = {
    "machine": None,
    "local": Key(("ephemeral_root",)),
    "size_gib": Key(("root", "size"), lambda gib: f"{gib}GiB"),
    "image_gib": None,
}


def order_of(use: DiskUse | LocalRootUse, cluster: "AzureClusterSpec") -> tuple[DiskOrder | LocalRootOrder, Surface]:
    if isinstance(use, LocalRootUse):
        return _local_order(use, cluster), described(use.queue, use.path, LOCAL_KEYS, cluster)
    disk = use.disk
    order = DiskOrder(
        type=disk.type,
        root=use.root,
        size_gib=disk.size.in_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        zone=use.zone,
    )
    return order, described(disk, use.path, KEYS, cluster)


def _local_order(use: LocalRootUse, cluster: "AzureClusterSpec") -> LocalRootOrder:
    known = facts(cluster, use.queue.machine)
    image = image_gib(cluster.os, known) if known and cluster.base_of(use.queue.image) is None else None
    return LocalRootOrder(
        machine=use.machine, size_gib=root_of(use.queue).size.in_gib, image_gib=image[0] if image else None
    )
