"""Keys of a data bucket in a description, and the order that they form."""

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
    """Globally unique name; default: the names of cluster and bucket with a random suffix."""
    archive: dict[Literal["nearline", "coldline", "archive"], Duration] = {}
    """Age at which objects move to a colder storage class, by class (`archive: 180d`)."""
    autoclass: Flag = False
    """Google moves objects between classes by their last access, instead of `archive`."""
    folders: Flag = False
    """A hierarchical namespace: folders that can be renamed atomically. Fixed at creation; needs
    `versioning: false`."""


KEYS: Keys = {
    "archive": Key(("archive",)),
    "autoclass": Key(("autoclass",)),
    "folders": Key(("folders",)),
    "versioning": Key(("versioning",)),
}
"""Keys by the fields of an order."""


def order_of(bucket: GcsBucket, path: Path, cluster: "GcpClusterSpec") -> tuple[BucketOrder, Surface]:
    """Return the order of the bucket at `path` of a cluster, and its surface."""
    order = BucketOrder(
        archive=bool(bucket.archive),
        autoclass=bucket.autoclass,
        folders=bucket.folders,
        versioning=bucket.versioning,
    )
    surface = described(bucket, path, KEYS, cluster)
    if bucket.archive:  # a mapping, whose keys are its value
        surface = replace(surface, values={**surface.values, "archive": ", ".join(bucket.archive)})
    return order, surface
