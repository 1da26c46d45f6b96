from hpc_components.azure.disks.component import RootDisk, StateDisk
from hpc_components.azure.disks.model import AzureDisk


def root_disk(disk: AzureDisk) -> RootDisk:
    return RootDisk(size_gib=int(disk.size.in_gib), type=disk.type, encryption_set=disk.encryption_set)


def state_disk(disk: AzureDisk) -> StateDisk:
    return StateDisk(
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        encryption_set=disk.encryption_set,
    )
