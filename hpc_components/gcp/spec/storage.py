"""File systems and buckets of a cluster on Google Cloud."""

from typing import Annotated, Literal

from pydantic import Field

from hpc_components.gcp.home.model import Nfs
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.model import Flag
from hpc_components.spec.storage import (
    Existing,
    LustreFileSystem,
    ObjectBucket,
)
from hpc_components.spec.values import Duration, Size


class ExistingLustre(Existing):
    """An existing Lustre file system."""

    server: str
    """The address that clients mount, in front of `@tcp` in its mount point."""
    mount_name: str
    """The name after `@tcp:/`."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Server and name."""
        return (self.server, self.mount_name)


class Lustre(LustreFileSystem):
    """A parallel file system, Managed Lustre."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity; sold in steps that depend on the throughput (`9000GiB` at 1000 MB/s per TiB). It can grow later."""
    throughput: Literal[125, 250, 500, 1000] = 1000
    """MB/s per TiB. It can't be changed later."""
    zone: str | None = None
    """Its zone; default: the cluster's zone."""
    import_from: str | None = None
    """`gs://bucket[/prefix]` whose objects become files, once, when the head node first sees the file system."""
    export_to: str | None = None
    """`gs://bucket[/prefix]` to which new and changed files are copied every day, and when an administrator types
    `hpc-export`. Nothing in it is ever deleted."""
    root_squash: Literal["none", "root_only"] = "none"
    """Whose users nobody is trusted as: nobody's, or root's."""
    kms_key: str | None = None
    """Id of a Cloud KMS key of your own that encrypts it, instead of Google's."""
    existing: ExistingLustre | None = None
    """Mount this one instead of making one."""

    @property
    def durability(self) -> Durability:
        """Files that are exported to a bucket are there twice. Source: Managed Lustre documentation, "Transfer data
        to or from Cloud Storage"; there are no backups or snapshots.
        """
        if self.export_to is not None:
            return Durability()
        reason = "Managed Lustre has no backups or snapshots, and without export_to a deleted file is gone"
        return Durability(
            deletion=Weakness(reason=reason, remedy="mount it at /scratch, with homes on nfs; or add export_to")
        )


AnyFileSystem = Annotated[Lustre | Nfs, Field(discriminator="type")]


class GcsBucket(ObjectBucket):
    """A Cloud Storage bucket that moves objects to colder storage with age."""

    type: Literal["gcs"]
    name: str | None = None
    """Its name, unique in the world; default: the cluster's and bucket's names with a random end."""
    archive: dict[Literal["nearline", "coldline", "archive"], Duration] = {}
    """Age at which objects move to a colder storage class, by class (`archive: 180d`)."""
    autoclass: Flag = False
    """Google moves objects between classes by when they were last read, instead of `archive`."""
    folders: Flag = False
    """A hierarchical namespace: folders that can be renamed at once. Fixed when the bucket is made; needs
    `versioning: false`."""


AnyBucket = GcsBucket
