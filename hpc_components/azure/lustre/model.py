"""A Lustre file system's keys in a description, and the order built from them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hpc_components.azure.lustre.offer import LustreOrder
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.storage import Existing, LustreFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Size

if TYPE_CHECKING:
    from hpc_components.azure.spec.cluster import AzureClusterSpec


class ExistingLustre(Existing):
    """An existing Lustre file system."""

    server: str
    """Address that clients mount, which Azure calls the file system's `mgsAddress`."""
    mount_name: str = "lustrefs"
    """Name after `@tcp:/`. All of Azure's file systems have the default name."""

    @property
    def identity(self) -> tuple[str, ...]:
        """The server and the name, which identify the file system."""
        return (self.server, self.mount_name)


class ContainerLink(Model):
    """A link between a Lustre file system and a Blob container. It can't be added to an existing file system."""

    bucket: str
    """URL of the container, `https://<account>.blob.core.windows.net/<container>[/<prefix>]`; it must be in the
    cluster's region."""
    log_bucket: str
    """URL of another container in the same account, without a prefix, where Azure writes the log of imports and
    exports."""
    resource_group: str | None = None
    """Id of the storage account's resource group, `/subscriptions/.../resourceGroups/<name>`; default: the
    cluster's group."""
    auto_import: tuple[Literal["new", "changed", "deleted"], ...] = ()
    """Changes in the container that Azure imports automatically. If empty, the file system shows only the objects
    that exist when it is created. `auto_import` and `auto_export` can't be combined."""
    auto_export: tuple[Literal["new", "changed"], ...] = ("new", "changed")
    """Changes in the file system that Azure exports automatically: new and changed files, or none. Objects are never
    deleted."""


class Lustre(LustreFileSystem):
    """Azure Managed Lustre, a parallel file system."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity; must be a multiple of a step that depends on the throughput. It can't be changed later."""
    throughput: Literal[40, 125, 250, 500] = 250
    """Throughput in MB/s per TiB."""
    zone: str | None = None
    """Zone of the file system; default: the cluster's zone."""
    maintenance: str = "Sunday 03:00"
    """Day and time (UTC) when the weekly maintenance window of 30 minutes begins."""
    link: ContainerLink | None = None
    """Blob container whose objects appear as files."""
    principal: str | None = None
    """Object id, in your tenant, of the service principal `HPC Cache Resource Provider`, which copies data between
    the file system and the container; required with `link`."""
    root_squash: Literal["none", "root_only", "all"] = "none"
    """Users to squash: no users (`none`), only root (`root_only`), or all users (`all`)."""
    encryption_key: str | None = None
    """URL of a customer-managed key, in a Key Vault, that encrypts the file system; default: Azure's key."""
    encryption_vault: str | None = None
    """Id of the key's Key Vault; required with `encryption_key`."""
    encryption_identity: str | None = None
    """Id of a user-assigned identity that may use the key; required with `encryption_key`."""
    existing: ExistingLustre | None = None
    """An existing file system to mount instead of creating a new one."""

    @property
    def durability(self) -> Durability:
        """How well files are protected: a container with automatic exports holds a second copy of them.

        Source: Azure Managed Lustre documentation, "Use Azure Blob storage with Azure Managed Lustre", auto-export;
        there are no backups or snapshots.
        """
        if self.link is not None and self.link.auto_export:
            return Durability()
        reason = "Managed Lustre has no backups or snapshots, so without export to a container a deleted file is lost"
        return Durability(deletion=Weakness(reason=reason, remedy="mount it at /scratch, with homes on nfs"))

    def paid_service(self, name: str) -> PaidService:
        """Return the service that is billed for the file system `name`, and the quantity."""
        return PaidService(name, f"lustre.{self.throughput}", float(self.size.in_gib) if self.size else 0)


_LINKED = ("bucket", "log_bucket")
_COPIED = ("auto_import", "auto_export")

KEYS: Keys = {
    "throughput": Key(("throughput",)),
    "size_tib": Key(("size",), lambda tib: f"{tib:g}TiB"),
    "subnet_prefix": Key(("network", "existing", "lustre", "cidr"), outside=True),
    "new_subnet_prefix": Key(("network", "cidr"), outside=True),
    "maintenance": Key(("maintenance",)),
    **{field: Key(("link", field)) for field in _LINKED},
    **{field: Key(("link", field), list) for field in _COPIED},
}
"""Maps each order field to its key."""


def order_of(lustre: Lustre, path: Path, cluster: "AzureClusterSpec") -> tuple[LustreOrder, Surface]:
    """Return the order for the file system at `path`, and where the description defines it."""
    link, existing = lustre.link, cluster.network.existing
    subnet = existing.lustre if existing else None
    order = LustreOrder(
        throughput=lustre.throughput,
        size_tib=None if lustre.size is None else lustre.size.in_gib / 1024,
        subnet_prefix=subnet.cidr.prefixlen if subnet else None,
        new_subnet_prefix=None if existing else _new_subnet_prefix(cluster),
        maintenance=lustre.maintenance,
        bucket=link.bucket if link else None,
        log_bucket=link.log_bucket if link else None,
        auto_import=link.auto_import if link else (),
        auto_export=link.auto_export if link else (),
    )
    network = Key(("network", "cidr"), lambda prefix: str(cluster.wider_network("lustre", prefix)), outside=True)
    surface = described(lustre, path, {**KEYS, "new_subnet_prefix": network}, cluster)
    return order, replace(surface, values={**surface.values, **dict(_link_values(link))})


def _link_values(link: ContainerLink | None) -> Iterator[tuple[str, str | None]]:
    """Yield values as shown in findings: lists as text, and None for URLs that contain a signature (a secret)."""
    if link is None:
        return
    for field in _COPIED:
        if link.given(field):
            yield field, ", ".join(getattr(link, field))
    for field in _LINKED:
        if "?" in getattr(link, field):
            yield field, None


def _new_subnet_prefix(cluster: "AzureClusterSpec") -> int | None:
    """Return the prefix length of the subnet in a new network, or None if other rules report the network."""
    try:
        return cluster.subnet("lustre").prefixlen
    except ValueError:
        return None
