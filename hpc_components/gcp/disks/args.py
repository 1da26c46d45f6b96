from hpc_components.gcp.disks.component import RootDisk, StateDisk
from hpc_components.gcp.disks.model import GcpDisk


def root_disk(disk: GcpDisk) -> RootDisk:
    return RootDisk(
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        kms_key=disk.kms_key,
    )


def state_disk(disk: GcpDisk) -> StateDisk:
    return StateDisk(
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        kms_key=disk.kms_key,
    )
