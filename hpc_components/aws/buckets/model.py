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
    """Globally unique bucket name; default: `<cluster>-<bucket>` with a random suffix."""
    archive: dict[Literal["standard_ia", "glacier_ir", "glacier", "deep_archive"], Duration] = {}
    """Maps a storage class to the age at which objects move to it, e.g. `deep_archive: 180d`."""


class ExpressBucket(SharedBucket):
    """A directory bucket in the nodes' zone (S3 Express One Zone), for feeding data to GPUs."""

    type: Literal["s3_express"]
    name: str | None = None
    """Prefix of the bucket names; must be unique in the zone across all accounts. Default: `<cluster>-<bucket>`."""
    zone: str | None = None
    """Zone id; default: the cluster's zone."""
    shards: Int = 1
    """Number of buckets to spread data across. A single bucket provides less than 3.2 Tbps."""


KEYS: Keys = {"name": Key(("name",)), "default": None}

EXPRESS_KEYS: Keys = {
    "base": Key(("name",)),
    "zone": Key(("zone",)),
    "region": None,  # the cluster's region
    "shards": Key(("shards",)),
}


def order_of(
    bucket: Bucket | ExpressBucket, path: Path, cluster: "AwsClusterSpec"
) -> tuple[BucketOrder | ExpressOrder, Surface]:
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
