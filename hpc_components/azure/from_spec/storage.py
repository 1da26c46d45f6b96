"""Arguments of buckets, and mounts of existing file systems."""

from hpc_components.azure.components.data_bucket import DataBucketArgs
from hpc_components.azure.home.args import existing_home
from hpc_components.azure.home.model import Nfs
from hpc_components.azure.lustre.args import existing_lustre
from hpc_components.azure.lustre.model import Lustre
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import BlobBucket
from hpc_components.azure.tags import Tags
from hpc_components.ports import FileSystemMount


def existing_mount(name: str, storage: Lustre | Nfs) -> FileSystemMount:
    """Return the mount of an existing file system."""
    return existing_home(name, storage) if isinstance(storage, Nfs) else existing_lustre(name, storage)


def bucket_args(
    cluster: AzureClusterSpec, bucket: BlobBucket, network: Network, group: Group, tags: Tags
) -> DataBucketArgs:
    """Return the arguments of a bucket."""
    return DataBucketArgs(
        account_name=bucket.name,
        archive={tier: int(age.days) for tier, age in bucket.archive.items()},
        expire_days=int(bucket.expire.days) if bucket.expire else None,
        versioning=bucket.versioning,
        group=group,
        network=network,
        retain=not cluster.throw_away,
        tags=tags,
    )
