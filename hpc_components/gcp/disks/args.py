"""Converts the description of a disk to an argument of a component."""

from hpc_components.gcp.disks.component import RootDisk, StateDisk
from hpc_components.gcp.disks.model import GcpDisk


def root_disk(disk: GcpDisk) -> RootDisk:
    """Return the argument for a node's root disk."""
    return RootDisk(
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        kms_key=disk.kms_key,
    )


def state_disk(disk: GcpDisk) -> StateDisk:
    """Return the argument for the head node's state disk."""
    return StateDisk(
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        kms_key=disk.kms_key,
    )
