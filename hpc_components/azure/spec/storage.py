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
    """Address that clients mount: the file system's `mgsAddress`."""
    mount_name: str = "lustrefs"
    """Name after `@tcp:/`; all file systems of Azure have the default name."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Server and name, which identify the file system."""
        return (self.server, self.mount_name)


class ContainerLink(Model):
    """The link between a Lustre file system and a Blob container. It can't be added to an existing file system."""

    bucket: str
    """URL of the container, `https://<account>.blob.core.windows.net/<container>[/<prefix>]`, in the cluster's
    region."""
    log_bucket: str
    """URL of another container of the same account, without a prefix, where Azure writes the log of imports and
    exports."""
    resource_group: str | None = None
    """Id of the storage account's resource group, `/subscriptions/.../resourceGroups/<name>`; default: the group of
    the cluster."""
    auto_import: tuple[Literal["new", "changed", "deleted"], ...] = ()
    """Changes in the container that Azure imports automatically; if empty, only objects that exist when the file
    system is created appear in it. Only one of `auto_import` and `auto_export` can be given."""
    auto_export: tuple[Literal["new", "changed"], ...] = ("new", "changed")
    """Changes in the file system that Azure exports automatically: new and changed files, or none. Objects are never
    deleted."""


class Lustre(LustreFileSystem):
    """A parallel file system (Azure Managed Lustre)."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity, a multiple of a step that depends on the throughput. It can't be changed later."""
    throughput: Literal[40, 125, 250, 500] = 250
    """Throughput in MB/s per TiB."""
    zone: str | None = None
    """Zone of the file system; default: the cluster's zone."""
    maintenance: str = "Sunday 03:00"
    """Day and time (UTC) at which the weekly maintenance window of 30 minutes begins."""
    link: ContainerLink | None = None
    """Blob container whose objects appear as files."""
    principal: str | None = None
    """Object id, in your tenant, of the service principal `HPC Cache Resource Provider`, which copies data between
    file system and container; required with `link`."""
    root_squash: Literal["none", "root_only", "all"] = "none"
    """Users that are squashed: no user (`none`), only root (`root_only`), or all users (`all`)."""
    encryption_key: str | None = None
    """URL of a customer-managed key in a Key Vault that encrypts the file system; default: Azure's key."""
    encryption_vault: str | None = None
    """Id of the key's Key Vault; required with `encryption_key`."""
    encryption_identity: str | None = None
    """Id of a user-assigned identity that may use the key; required with `encryption_key`."""
    existing: ExistingLustre | None = None
    """Existing file system to mount, instead of a new one."""

    @property
    def durability(self) -> Durability:
        """Durability of the files, which a container with automatic exports holds as a second copy.

        Source: Azure Managed Lustre documentation, "Use Azure Blob storage with Azure Managed Lustre", auto-export;
        there are no backups or snapshots.
        """
        if self.link is not None and self.link.auto_export:
            return Durability()
        reason = "Managed Lustre has no backups or snapshots, so without export to a container a deleted file is lost"
        return Durability(deletion=Weakness(reason=reason, remedy="mount it at /scratch, with homes on nfs"))


AnyFileSystem = Annotated[Lustre | Nfs, Field(discriminator="type")]


class BlobBucket(ObjectBucket):
    """A Blob container in its own storage account, which moves objects to colder tiers as they age."""

    type: Literal["blob"]
    name: str | None = None
    """Globally unique name of the storage account; default: the names of cluster and bucket with a random suffix. The
    container is named `data`."""
    archive: dict[Literal["cool", "cold", "archive"], Duration] = {}
    """Age at which objects move to a colder access tier, by tier (`archive: 180d`)."""


AnyBucket = BlobBucket
