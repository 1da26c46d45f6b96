from typing import Annotated

from pydantic import Field

from hpc_components.gcp.data_bucket.model import GcsBucket
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.lustre.model import Lustre

AnyFileSystem = Annotated[Lustre | Nfs, Field(discriminator="type")]
AnyBucket = GcsBucket
