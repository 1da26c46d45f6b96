"""Arguments of file systems and buckets."""

from hpc_components.gcp.components.data_bucket import DataBucketArgs
from hpc_components.gcp.home.args import existing_home
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.lustre.args import existing_lustre
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import GcsBucket
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount


def existing_mount(name: str, storage: Lustre | Nfs) -> FileSystemMount:
    """Return the mount of an existing file system."""
    if isinstance(storage, Nfs):
        return existing_home(name, storage)
    return existing_lustre(name, storage)


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
