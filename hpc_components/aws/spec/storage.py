from typing import Annotated

from pydantic import Field

from hpc_components.aws.buckets.model import Bucket, ExpressBucket
from hpc_components.aws.home.model import Efs, Nfs
from hpc_components.aws.lustre.model import Lustre

AnyFileSystem = Annotated[Lustre | Nfs | Efs, Field(discriminator="type")]
AnyBucket = Annotated[Bucket | ExpressBucket, Field(discriminator="type")]
