from hpc_components.aws.catalog.images import root_device
from hpc_components.aws.disks.component import RootDisk
from hpc_components.aws.disks.model import AwsDisk
from hpc_components.aws.spec.cluster import AwsClusterSpec


def root_disk(cluster: AwsClusterSpec, disk: AwsDisk) -> RootDisk:
    return RootDisk(
        device=root_device(cluster.os),
        size_gib=int(disk.size.in_gib),
        type=disk.type,
        iops=disk.iops,
        throughput=disk.throughput,
        kms_key=disk.kms_key,
    )
