from hpc_components.gcp.data_bucket.component import DataBucketArgs
from hpc_components.gcp.data_bucket.model import GcsBucket
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def bucket_args(cluster: GcpClusterSpec, bucket: GcsBucket, tags: Tags) -> DataBucketArgs:
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
