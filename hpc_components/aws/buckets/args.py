from hpc_components.aws.buckets.component import DataBucketArgs, ExpressDataBucketArgs
from hpc_components.aws.buckets.model import Bucket, ExpressBucket
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags


def bucket_args(cluster: AwsClusterSpec, bucket: Bucket, tags: Tags) -> DataBucketArgs:
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
    return ExpressDataBucketArgs(
        base=bucket.name or f"{cluster.name}-{name}".lower(),
        zone=bucket.zone or cluster.zone,
        shards=bucket.shards,
        retain=not cluster.throw_away,
        tags=tags,
    )
