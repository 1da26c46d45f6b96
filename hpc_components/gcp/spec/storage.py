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
    """Address that clients mount, the part before `@tcp` in the mount point."""
    mount_name: str
    """Name of the file system, the part after `@tcp:/` in the mount point."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Server and file system name."""
        return (self.server, self.mount_name)


class Lustre(LustreFileSystem):
    """A parallel file system, Managed Lustre."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity; sold in steps that depend on the throughput (`9000GiB` at 1000 MB/s per TiB). It can grow later."""
    throughput: Literal[125, 250, 500, 1000] = 1000
    """Throughput in MB/s per TiB. It can't be changed later."""
    zone: str | None = None
    """Its zone; default: the cluster's zone."""
    import_from: str | None = None
    """`gs://bucket[/prefix]` whose objects are imported as files, once, when the head node first mounts the file
    system."""
    export_to: str | None = None
    """`gs://bucket[/prefix]` to which new and changed files are copied every day, and when an administrator runs
    `hpc-export`. Objects in it are never deleted."""
    root_squash: Literal["none", "root_only"] = "none"
    """Whether root on a client is mapped to an unprivileged user: `root_only`, or not: `none`."""
    kms_key: str | None = None
    """Id of a Cloud KMS key of your own that encrypts it, instead of Google's."""
    existing: ExistingLustre | None = None
    """Mount this one instead of making one."""

    @property
    def durability(self) -> Durability:
        """Durability by exports; there are no backups or snapshots. Source: Managed Lustre documentation, "Transfer
        data to or from Cloud Storage".
        """
        if self.export_to is not None:
            return Durability()
        reason = "Managed Lustre has no backups or snapshots, and without export_to a deleted file is gone"
        return Durability(
            deletion=Weakness(reason=reason, remedy="mount it at /scratch, with homes on nfs; or add export_to")
        )


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
