"""Arguments of file systems and buckets."""

from hpc_components.gcp.components.data_bucket import DataBucketArgs
from hpc_components.gcp.components.lustre_filesystem import LUSTRE_MOUNT_OPTIONS, LustreFilesystemArgs
from hpc_components.gcp.home.args import existing_home
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.ports import Identities, Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import GcsBucket, Lustre
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.addresses import head_address


def lustre_args(
    cluster: GcpClusterSpec, lustre: Lustre, network: Network, as_head: Identities, tags: Tags
) -> LustreFilesystemArgs:
    """Return the arguments of a Lustre file system. The head node requests transfers from and to buckets."""
    assert lustre.size is not None, "a rule: a new file system has a size"
    return LustreFilesystemArgs(
        project=cluster.project,
        mount=lustre.mount,
        capacity_gib=int(lustre.size.in_gib),
        throughput=lustre.throughput,
        zone=lustre.zone or cluster.zone,
        network=network,
        import_from=lustre.import_from,
        export_to=lustre.export_to,
        copied_by=as_head.own,
        root_squash=lustre.root_squash,
        # root on the head node creates homes and job directories
        trusted=() if lustre.root_squash == "none" else (str(head_address(cluster)),),
        kms_key=lustre.kms_key,
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
        server=storage.existing.server,
        export=storage.existing.mount_name,
        options=LUSTRE_MOUNT_OPTIONS,
    )


def bucket_args(cluster: GcpClusterSpec, bucket: GcsBucket, tags: Tags) -> DataBucketArgs:
    """Return the arguments of a data bucket."""
    return DataBucketArgs(
        project=cluster.project,
        region=cluster.region,
        bucket_name=bucket.name,
        archive={name: int(age.days) for name, age in bucket.archive.items()},
        autoclass=bucket.autoclass,
        expire_days=int(bucket.expire.days) if bucket.expire else None,
        versioning=bucket.versioning,
        folders=bucket.folders,
        retain=not cluster.throw_away,
        tags=tags,
    )
