"""File systems and buckets of a cluster on Google Cloud."""

from typing import Annotated, Literal

from pydantic import Field

from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.spec.model import Flag
from hpc_components.spec.storage import ObjectBucket
from hpc_components.spec.values import Duration

AnyFileSystem = Annotated[Lustre | Nfs, Field(discriminator="type")]


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


AnyBucket = GcsBucket
