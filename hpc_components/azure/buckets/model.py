from typing import Literal

from hpc_components.spec.storage import ObjectBucket
from hpc_components.spec.values import Duration


class BlobBucket(ObjectBucket):
    """A Blob container in its own storage account. Objects move to colder tiers as they age."""

    type: Literal["blob"]
    name: str | None = None
    """Globally unique name of the storage account; default: derived from the cluster and bucket names, plus a random
    suffix. The container is named `data`."""
    archive: dict[Literal["cool", "cold", "archive"], Duration] = {}
    """Age at which objects move to a colder access tier, keyed by tier, e.g. `archive: 180d`."""
