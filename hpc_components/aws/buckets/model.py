"""The keys of a bucket in a description, and its order."""

from typing import TYPE_CHECKING, Literal

from hpc_components.aws.buckets.offer import BucketOrder, ExpressOrder
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Int
from hpc_components.spec.storage import ObjectBucket, SharedBucket
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec


class Bucket(ObjectBucket):
    """An S3 bucket that moves objects to colder storage as they age."""

    type: Literal["s3"]
    name: str | None = None
    """Globally unique bucket name; default: the cluster's and the bucket's name with a random suffix."""
    archive: dict[Literal["standard_ia", "glacier_ir", "glacier", "deep_archive"], Duration] = {}
    """Age at which objects move to a colder storage class, by class (`deep_archive: 180d`)."""


class ExpressBucket(SharedBucket):
    """S3 Express One Zone: a directory bucket in the zone of the nodes, for data fed to GPUs."""

    type: Literal["s3_express"]
    name: str | None = None
    """Prefix of the bucket names, unique in the zone across all accounts; default: the cluster's and bucket's
    name."""
    zone: str | None = None
    """Zone id; default: the cluster's zone."""
    shards: Int = 1
    """Number of buckets to spread the data over; one bucket is slower than 3.2 Tbps."""


KEYS: Keys = {"name": Key(("name",)), "default": None}
"""Keys by the fields of an order."""

EXPRESS_KEYS: Keys = {
    "base": Key(("name",)),
    "zone": Key(("zone",)),
    "region": None,  # the cluster's
    "shards": Key(("shards",)),
}
"""Keys by the fields of an order of directory buckets."""


def order_of(
    bucket: Bucket | ExpressBucket, path: Path, cluster: "AwsClusterSpec"
) -> tuple[BucketOrder | ExpressOrder, Surface]:
    """Return the order of the bucket at `path`, and where it is written."""
    default = f"{cluster.name}-{path[-1]}".lower()
    if isinstance(bucket, Bucket):
        return BucketOrder(name=bucket.name, default=default), described(bucket, path, KEYS, cluster)
    order = ExpressOrder(
        base=default if bucket.name is None else bucket.name,
        zone=bucket.zone or cluster.zone,
        region=cluster.region,
        shards=bucket.shards,
    )
    return order, described(bucket, path, EXPRESS_KEYS, cluster)
