from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hpc_components.azure.lustre.offer import LustreOrder
from hpc_components.catalog.stated_throughput import StatedThroughput, per_tib
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
    """Address of the management server, which Azure calls the file system's `mgsAddress`."""
    mount_name: str = "lustrefs"
    """Name that follows `@tcp:/` in mount commands. File systems created by Azure always have the default name."""

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.server, self.mount_name)


class ContainerLink(Model):
    """A link between a Lustre file system and a Blob container. Links can't be added to existing file systems."""

    bucket: str
    """URL of the container, in the form `https://<account>.blob.core.windows.net/<container>[/<prefix>]`. The
    container must be in the cluster's region."""
    log_bucket: str
    """URL (without a prefix) of another container in the same account, where Azure logs imports and exports."""
    resource_group: str | None = None
    """Id of the storage account's resource group, `/subscriptions/.../resourceGroups/<name>`; default: the cluster's
    resource group."""
    auto_import: tuple[Literal["new", "changed", "deleted"], ...] = ()
    """Changes in the container that Azure imports automatically. If empty, the file system shows only the objects
    that exist when it is created. `auto_import` and `auto_export` can't be combined."""
    auto_export: tuple[Literal["new", "changed"], ...] = ("new", "changed")
    """Changes in the file system that Azure exports automatically: either new and changed files, or none. Exports
    never delete objects."""


class Lustre(LustreFileSystem):
    """Azure Managed Lustre, a parallel file system."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity. Must be a multiple of the throughput tier's step, and can't be changed later."""
    throughput: Literal[40, 125, 250, 500] = 250
    """Throughput in MB/s per TiB."""
    zone: str | None = None
    """Zone of the file system; default: the cluster's zone."""
    maintenance: str = "Sunday 03:00"
    """Start (day and UTC time) of the weekly 30-minute maintenance window."""
    link: ContainerLink | None = None
    """Blob container whose objects appear as files."""
    principal: str | None = None
    """Object id that the service principal `HPC Cache Resource Provider` has in your tenant. This principal copies
    data between the file system and the container. Required with `link`."""
    root_squash: Literal["none", "root_only", "all"] = "none"
    """Users to squash: `none`, only root (`root_only`), or `all`."""
    encryption_key: str | None = None
    """URL of the customer-managed Key Vault key that encrypts the file system; default: a key managed by Azure."""
    encryption_vault: str | None = None
    """Id of the Key Vault that contains the key; required with `encryption_key`."""
    encryption_identity: str | None = None
    """Id of a user-assigned identity that may use the key; required with `encryption_key`."""
    existing: ExistingLustre | None = None
    """An existing file system to mount instead of creating a new one."""

    @property
    def durability(self) -> Durability:
        """How well files are protected. With automatic export, the linked container holds a second copy. Managed
        Lustre itself has no backups or snapshots.

        Source: Azure Managed Lustre documentation, "Use Azure Blob storage with Azure Managed Lustre", auto-export.
        """
        if self.link is not None and self.link.auto_export:
            return Durability()
        reason = (
            "Managed Lustre has no backups or snapshots, so a deleted file is lost unless it was exported to a "
            "container"
        )
        return Durability(
            deletion=Weakness(
                reason=reason,
                remedy="mount the file system at /scratch, and put home directories on an nfs file system",
            )
        )

    @property
    def stated_throughput(self) -> StatedThroughput | None:
        """The throughput per TiB times the capacity. Source: Azure REST API, amlFilesystems,
        throughputProvisionedMBps ("calculated as storageCapacityTiB * per-unit storage throughput").
        """
        if self.size is None:
            return None
        return per_tib(self.throughput, self.size.in_gib, "Azure REST API, amlFilesystems, throughputProvisionedMBps")

    def paid_service(self, name: str) -> PaidService:
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


def order_of(lustre: Lustre, path: Path, cluster: "AzureClusterSpec") -> tuple[LustreOrder, Surface]:
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
    """Yield order fields with the values to show in findings. Lists are shown as text. URLs that contain a signature
    are replaced by None, because signatures are secret.
    """
    if link is None:
        return
    for field in _COPIED:
        if link.given(field):
            yield field, ", ".join(getattr(link, field))
    for field in _LINKED:
        if "?" in getattr(link, field):
            yield field, None


def _new_subnet_prefix(cluster: "AzureClusterSpec") -> int | None:
    """Return the prefix length of the Lustre subnet in a new network, or None if the network's range is invalid.
    Other rules report invalid ranges.
    """
    try:
        return cluster.subnet("lustre").prefixlen
    except ValueError:
        return None
