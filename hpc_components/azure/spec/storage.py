"""File systems and buckets of an Azure cluster."""

from typing import Annotated, Literal

from pydantic import Field

from hpc_components.azure.home.model import Nfs
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.model import Model
from hpc_components.spec.storage import (
    Existing,
    LustreFileSystem,
    ObjectBucket,
)
from hpc_components.spec.values import Duration, Size


class ExistingLustre(Existing):
    """An existing Lustre file system."""

    server: str
    """The address that clients mount: the file system's `mgsAddress`."""
    mount_name: str = "lustrefs"
    """The name after `@tcp:/`; Azure's own file systems are all called so."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Server and name."""
        return (self.server, self.mount_name)


class ContainerLink(Model):
    """The link between a Lustre file system and a Blob container. It is made with the file system, and only then."""

    bucket: str
    """`https://<account>.blob.core.windows.net/<container>[/<prefix>]`, in the cluster's region."""
    log_bucket: str
    """Where Azure writes the log of imports and exports, as `bucket` but without prefix: another container of the
    same account."""
    resource_group: str | None = None
    """Id of the storage account's resource group, `/subscriptions/.../resourceGroups/<name>`; default: the cluster's
    own group."""
    auto_import: tuple[Literal["new", "changed", "deleted"], ...] = ()
    """Which changes in the container appear in the file system by themselves; without any, what is there when the
    file system is made. Azure either imports or exports by itself: at most one of both can be given."""
    auto_export: tuple[Literal["new", "changed"], ...] = ("new", "changed")
    """Which changes in the file system go to the container: new and changed files, or none. Nothing in it is ever
    deleted."""


class Lustre(LustreFileSystem):
    """A parallel file system, Azure Managed Lustre."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity; sold in steps that depend on the throughput. It can't be changed later."""
    throughput: Literal[40, 125, 250, 500] = 250
    """MB/s per TiB."""
    zone: str | None = None
    """Its zone; default: the cluster's zone."""
    maintenance: str = "Sunday 03:00"
    """Day and time (UTC) at which the weekly maintenance of half an hour may begin."""
    link: ContainerLink | None = None
    """The Blob container whose objects appear as files."""
    principal: str | None = None
    """Object id, in your tenant, of the service principal `HPC Cache Resource Provider`, which moves data between
    file system and container; needed with `link`."""
    root_squash: Literal["none", "root_only", "all"] = "none"
    """Whose users nobody is trusted as: nobody's, root's, or everybody's."""
    encryption_key: str | None = None
    """URL of a Key Vault key of your own that encrypts it, instead of Azure's."""
    encryption_vault: str | None = None
    """Id of the Key Vault with that key; needed with `encryption_key`."""
    encryption_identity: str | None = None
    """Id of a user-assigned identity that may use the key; needed with `encryption_key`."""
    existing: ExistingLustre | None = None
    """Mount this one instead of making one."""

    @property
    def durability(self) -> Durability:
        """Files that are exported to a container are there twice. Source: Azure Managed Lustre documentation, "Use
        Azure Blob storage with Azure Managed Lustre", auto-export; there are no backups or snapshots.
        """
        if self.link is not None and self.link.auto_export:
            return Durability()
        reason = (
            "Managed Lustre has no backups or snapshots, and without export to a container a deleted file is gone"
        )
        return Durability(deletion=Weakness(reason=reason, remedy="mount it at /scratch, with homes on nfs"))


AnyFileSystem = Annotated[Lustre | Nfs, Field(discriminator="type")]


class BlobBucket(ObjectBucket):
    """A Blob container in a storage account of its own, which moves objects to colder storage with age."""

    type: Literal["blob"]
    name: str | None = None
    """Name of the storage account, unique in the world; default: the cluster's and bucket's names with a random
    end. The container is called `data`."""
    archive: dict[Literal["cool", "cold", "archive"], Duration] = {}
    """Age at which objects move to a colder access tier, by tier (`archive: 180d`)."""


AnyBucket = BlobBucket
