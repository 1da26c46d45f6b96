"""File systems and buckets."""

from hpc_components.aws.components.data_bucket import DataBucketArgs, ExpressDataBucketArgs
from hpc_components.aws.components.home_filesystem import OPENZFS_MOUNT_OPTIONS, HomeFilesystemArgs
from hpc_components.aws.components.lustre_filesystem import (
    LUSTRE_MOUNT_OPTIONS,
    LustreAssociation,
    LustreFilesystemArgs,
)
from hpc_components.aws.ports import Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Bucket, Efs, ExistingLustre, ExpressBucket, Lustre, Nfs
from hpc_components.aws.tags import Tags
from hpc_components.ports import FileSystemMount

__all__ = ["bucket_args", "existing_mount", "express_bucket_args", "home_args", "lustre_args"]


def lustre_args(cluster: AwsClusterSpec, lustre: Lustre, network: Network, tags: Tags) -> LustreFilesystemArgs:
    """A Lustre file system in the cluster's zone."""
    assert lustre.size is not None, "rule HPC-FSX: a new file system has a size"
    return LustreFilesystemArgs(
        mount=lustre.mount,
        capacity_gib=int(lustre.size.lustre_gib),
        deployment=lustre.deployment,
        throughput=lustre.throughput,
        storage=lustre.storage,
        drive_cache=lustre.drive_cache,
        compression=lustre.compression,
        efa=lustre.efa,
        metadata_iops=lustre.metadata_iops,
        associations=tuple(
            LustreAssociation(
                path=link.path, bucket=link.bucket, auto_import=link.auto_import, auto_export=link.auto_export
            )
            for link in lustre.links
        ),
        backup_days=int(lustre.backups.days) if lustre.backups else None,
        kms_key=lustre.kms_key,
        subnet_id=network.private_subnets[cluster.zone],
        security_group_ids=network.security_groups.storage,
        retain=not cluster.throw_away,
        tags=tags,
    )


def home_args(cluster: AwsClusterSpec, home: Nfs | Efs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    """A file system that nodes mount over NFS."""
    if isinstance(home, Efs):
        return _efs_args(cluster, home, network, tags)
    return _openzfs_args(cluster, home, network, tags)


def _openzfs_args(cluster: AwsClusterSpec, nfs: Nfs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    """An OpenZFS file system in the cluster's zone, or in its first two zones."""
    assert nfs.size is not None, "rule HPC-NFS: a new file system has a size"
    zones = cluster.zones[:2] if nfs.deployment == "multi_az_1" else (cluster.zone,)
    return HomeFilesystemArgs(
        mount=nfs.mount,
        kind="openzfs",
        capacity_gib=int(nfs.size.in_gib),
        deployment=nfs.deployment,
        throughput=nfs.throughput,
        backup_days=int(nfs.backups.days) if nfs.backups else 0,
        kms_key=nfs.kms_key,
        clients=network.cidr,
        subnets={zone: network.private_subnets[zone] for zone in zones},
        route_table_ids=network.route_tables if nfs.deployment == "multi_az_1" else (),
        security_group_ids=network.security_groups.storage,
        retain=not cluster.throw_away,
        tags=tags,
    )


def existing_mount(name: str, storage: Lustre | Nfs) -> FileSystemMount:
    """An existing file system, as nodes mount it."""
    if isinstance(storage.existing, ExistingLustre):
        server, export, options = storage.existing.dns_name, storage.existing.mount_name, LUSTRE_MOUNT_OPTIONS
    else:
        assert storage.existing is not None
        server, export, options = storage.existing.server, storage.existing.export, OPENZFS_MOUNT_OPTIONS
    return FileSystemMount(
        name=name, type=storage.type, mount=storage.mount, server=server, export=export, options=options
    )


def _efs_args(cluster: AwsClusterSpec, efs: Efs, network: Network, tags: Tags) -> HomeFilesystemArgs:
    """An elastic file system with a mount target in each of the cluster's zones."""
    return HomeFilesystemArgs(
        mount=efs.mount,
        kind="efs",
        throughput_mode=efs.throughput_mode,
        kms_key=efs.kms_key,
        clients=network.cidr,
        subnets={zone: network.private_subnets[zone] for zone in cluster.zones},
        security_group_ids=network.security_groups.storage,
        retain=not cluster.throw_away,
        tags=tags,
    )


def bucket_args(cluster: AwsClusterSpec, bucket: Bucket, tags: Tags) -> DataBucketArgs:
    """A bucket for data."""
    return DataBucketArgs(
        bucket_name=bucket.name,
        archive={name: int(age.days) for name, age in bucket.archive.items()},
        expire_days=int(bucket.expire.days) if bucket.expire else None,
        versioning=bucket.versioning,
        retain=not cluster.throw_away,
        tags=tags,
    )


def express_bucket_args(
    cluster: AwsClusterSpec, name: str, bucket: ExpressBucket, tags: Tags
) -> ExpressDataBucketArgs:
    """Buckets in the zone of the nodes."""
    return ExpressDataBucketArgs(
        base=bucket.name or f"{cluster.name}-{name}".lower(),
        zone=bucket.zone or cluster.zone,
        shards=bucket.shards,
        retain=not cluster.throw_away,
        tags=tags,
    )
