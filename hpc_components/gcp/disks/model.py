from collections.abc import Iterator
from typing import TYPE_CHECKING

from hpc_components.catalog import Machine
from hpc_components.gcp.disks.offer import DiskOrder, DiskType, default_disk_type, disk_type
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Int
from hpc_components.spec.nodes import Disk
from hpc_components.spec.surfaces import Key, Keys, Surface, described

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec


class GcpDisk(Disk):
    """An encrypted disk."""

    type: DiskType | None = None
    """Google's name for the disk type; default: pd-balanced, or hyperdisk-balanced for machines that do not support
    Persistent Disk."""
    iops: Int | None = None
    """Provisioned I/O operations per second, for hyperdisks."""
    throughput: Int | None = None
    """Provisioned throughput in MiB/s, for hyperdisk-balanced and hyperdisk-throughput."""
    kms_key: str | None = None
    """Id of the Cloud KMS key that encrypts the disk. Default: a key managed by Google."""

    def paid_services(self, machine: Machine | None) -> Iterator[PaidService]:
        """Yield the billed capacity, and the iops and throughput beyond the free amounts.

        `machine` determines the disk's default type.
        """
        name = self.type or default_disk_type(machine)
        kind = disk_type(name)
        yield PaidService("disks", f"disk.{name}.storage", float(self.size.in_gib))
        if kind and self.iops is not None and self.iops > kind.free_iops:
            yield PaidService("disks", f"disk.{name}.iops", self.iops - kind.free_iops)
        if kind and self.throughput is not None and self.throughput > kind.free_mibps:
            yield PaidService("disks", f"disk.{name}.throughput", self.throughput - kind.free_mibps)


KEYS: Keys = {
    "type": Key(("type",)),
    "root": None,
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    "iops": Key(("iops",)),
    "throughput": Key(("throughput",)),
    "machines": None,
}
"""Maps each field of `DiskOrder` to its key."""


def order_of(
    disk: GcpDisk, path: Path, cluster: "GcpClusterSpec", *, root: bool, machines: tuple[Machine, ...]
) -> tuple[DiskOrder, Surface]:
    """Return the order for the disk at `path`, and the location of each value in the description."""
    order = DiskOrder(
        type=disk.type,
        root=root,
        size_gib=disk.size.in_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        machines=machines,
    )
    return order, described(disk, path, KEYS, cluster)
