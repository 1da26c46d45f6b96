from typing import Annotated

from pydantic import Field

from hpc_components.azure.buckets.model import BlobBucket
from hpc_components.azure.home.model import Nfs
from hpc_components.azure.lustre.model import Lustre

AnyFileSystem = Annotated[Lustre | Nfs, Field(discriminator="type")]


AnyBucket = BlobBucket
