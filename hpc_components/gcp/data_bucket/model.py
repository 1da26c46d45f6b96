from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hpc_components.gcp.data_bucket.offer import BucketOrder
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Flag
from hpc_components.spec.storage import ObjectBucket
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec


class GcsBucket(ObjectBucket):
    """A Cloud Storage bucket that moves objects to colder storage as they age."""

    type: Literal["gcs"]
    name: str | None = None
    """Globally unique bucket name. Default: the cluster name and the bucket's key, with a random suffix."""
    archive: dict[Literal["nearline", "coldline", "archive"], Duration] = {}
    """Age at which objects move to each colder storage class, e.g. `archive: 180d`."""
    autoclass: Flag = False
    """Whether Google moves objects between storage classes based on when they were last accessed (instead of
    `archive`)."""
    folders: Flag = False
    """Whether the bucket has a hierarchical namespace, with folders that can be renamed atomically. Can't be changed
    later. Requires `versioning: false`."""


KEYS: Keys = {
    "archive": Key(("archive",)),
    "autoclass": Key(("autoclass",)),
    "folders": Key(("folders",)),
    "versioning": Key(("versioning",)),
}
"""Maps each field of `BucketOrder` to its key."""


def order_of(bucket: GcsBucket, path: Path, cluster: "GcpClusterSpec") -> tuple[BucketOrder, Surface]:
    """Return the order for the bucket at `path`, and the location of each value in the description."""
    order = BucketOrder(
        archive=bool(bucket.archive),
        autoclass=bucket.autoclass,
        folders=bucket.folders,
        versioning=bucket.versioning,
    )
    surface = described(bucket, path, KEYS, cluster)
    if bucket.archive:  # show only the keys of the mapping
        surface = replace(surface, values={**surface.values, "archive": ", ".join(bucket.archive)})
    return order, surface
