"""Arguments of file systems and buckets."""

from hpc_components.aws.components.data_bucket import DataBucketArgs, ExpressDataBucketArgs
from hpc_components.aws.components.lustre_filesystem import (
    LUSTRE_MOUNT_OPTIONS,
    LustreAssociation,
    LustreFilesystemArgs,
)
from hpc_components.aws.home.args import existing_home
from hpc_components.aws.home.model import Nfs
from hpc_components.aws.ports import Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Bucket, ExpressBucket, Lustre
from hpc_components.aws.tags import Tags
from hpc_components.ports import FileSystemMount


def lustre_args(cluster: AwsClusterSpec, lustre: Lustre, network: Network, tags: Tags) -> LustreFilesystemArgs:
    """Return the arguments of a Lustre file system in the cluster's zone."""
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


def existing_mount(name: str, storage: Lustre | Nfs) -> FileSystemMount:
    """Return the mount of an existing file system."""
    if isinstance(storage, Nfs):
        return existing_home(name, storage)
    assert storage.existing is not None
    return FileSystemMount(
        name=name,
        type=storage.type,
        mount=storage.mount,
        server=storage.existing.dns_name,
        export=storage.existing.mount_name,
        options=LUSTRE_MOUNT_OPTIONS,
    )


def bucket_args(cluster: AwsClusterSpec, bucket: Bucket, tags: Tags) -> DataBucketArgs:
    """Return the arguments of a bucket for data."""
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
    """Return the arguments of fast buckets in the zone of the nodes."""
    return ExpressDataBucketArgs(
        base=bucket.name or f"{cluster.name}-{name}".lower(),
        zone=bucket.zone or cluster.zone,
        shards=bucket.shards,
        retain=not cluster.throw_away,
        tags=tags,
    )
