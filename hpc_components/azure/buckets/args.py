from hpc_components.azure.buckets.component import DataBucketArgs
from hpc_components.azure.buckets.model import BlobBucket
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags


def bucket_args(
    cluster: AzureClusterSpec, bucket: BlobBucket, network: Network, group: Group, tags: Tags
) -> DataBucketArgs:
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
