"""The buckets of a description, by type."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Bucket, ExpressBucket
from hpc_components.spec.findings import Path


def plain_buckets(cluster: AwsClusterSpec) -> Iterator[tuple[Path, Bucket]]:
    """Yield the general purpose buckets, each with its path."""
    for key, bucket in cluster.buckets.items():
        if isinstance(bucket, Bucket):
            yield ("buckets", key), bucket


def express_buckets(cluster: AwsClusterSpec) -> Iterator[tuple[Path, ExpressBucket]]:
    """Yield the directory buckets, each with its path."""
    for key, bucket in cluster.buckets.items():
        if isinstance(bucket, ExpressBucket):
            yield ("buckets", key), bucket
