"""Keys of a home file system in a description, and the order that they form."""

from typing import TYPE_CHECKING, Literal

from hpc_components.gcp.home.offer import HomeOrder, Tier
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.storage import ExistingExport, NfsFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Size

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec


class ExistingNfs(ExistingExport):
    """An existing NFS export, anywhere."""


class Nfs(NfsFileSystem):
    """A file system for homes and software over NFS, Filestore."""

    type: Literal["nfs"]
    size: Size | None = None
    """Capacity: from 1 TiB; basic_ssd from 2.5 TiB, regional from 100 GiB."""
    tier: Tier = "zonal"
    """Filestore's tier. `regional` survives the loss of a zone."""
    zone: str | None = None
    """Zone of the instance; default: the cluster's zone. Not for tier `regional`."""
    kms_key: str | None = None
    """Id of your own Cloud KMS key that encrypts it, instead of Google's; zonal and regional only."""
    existing: ExistingNfs | None = None
    """Mount this export instead of creating a file system."""

    @property
    def durability(self) -> Durability:
        """No backups by itself. Source: Filestore documentation, "Backups overview"."""
        reason = "Filestore is only backed up on request, and the cluster creates no schedule: a deleted file is lost"
        remedy = "schedule backups: gcloud filestore backups create, or Backup and DR Service"
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, level=Level.INFO))

    def paid_service(self, name: str) -> PaidService:
        """Return the billed service for a file system of this size, called `name`."""
        return PaidService(name, f"filestore.{self.tier}", float(self.size.in_gib) if self.size else 0)


KEYS: Keys = {
    "tier": Key(("tier",)),
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    # without a zone, the instance is in the cluster's zone or region, depending on its tier
    "zonal": Key(("zone",), lambda _: None),
    "kms_key": Key(("kms_key",)),
}
"""Keys by the fields of an order."""


def order_of(nfs: Nfs, path: Path, cluster: "GcpClusterSpec") -> tuple[HomeOrder, Surface]:
    """Return the order of the file system at `path` of a cluster, and its surface."""
    order = HomeOrder(
        tier=nfs.tier,
        size_gib=nfs.size.in_gib if nfs.size else None,
        zonal=True if nfs.zone else None,
        kms_key=nfs.kms_key is not None,
    )
    return order, described(nfs, path, KEYS, cluster)
