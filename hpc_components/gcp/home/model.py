"""Defines a home file system's keys in a description, and converts them to a `HomeOrder`."""

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
    """A Filestore file system for homes and software, mounted over NFS."""

    type: Literal["nfs"]
    size: Size | None = None
    """Capacity: at least 1 TiB, or 2.5 TiB for basic_ssd, or 100 GiB for regional."""
    tier: Tier = "zonal"
    """Filestore tier. `regional` survives the loss of a zone."""
    zone: str | None = None
    """Zone of the instance; default: the cluster's zone. Not for tier `regional`."""
    kms_key: str | None = None
    """Id of your own Cloud KMS key for encrypting the file system, instead of Google's; zonal and regional only."""
    existing: ExistingNfs | None = None
    """Mount this export instead of creating a file system."""

    @property
    def durability(self) -> Durability:
        """The file system's durability. Filestore makes no backups by itself.

        Source: Filestore documentation, "Backups overview".
        """
        reason = "Filestore is only backed up on request, and the cluster creates no schedule: a deleted file is lost"
        remedy = "schedule backups: gcloud filestore backups create, or Backup and DR Service"
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, level=Level.INFO))

    def paid_service(self, name: str) -> PaidService:
        """Return the billed service, with `name` as its name in reports."""
        return PaidService(name, f"filestore.{self.tier}", float(self.size.in_gib) if self.size else 0)


KEYS: Keys = {
    "tier": Key(("tier",)),
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    # if no zone is named, the instance is in the cluster's zone or region, depending on the tier
    "zonal": Key(("zone",), lambda _: None),
    "kms_key": Key(("kms_key",)),
}
"""Maps each field of `HomeOrder` to its key."""


def order_of(nfs: Nfs, path: Path, cluster: "GcpClusterSpec") -> tuple[HomeOrder, Surface]:
    """Return the `HomeOrder` for the file system at `path`, and where the description gives its values."""
    order = HomeOrder(
        tier=nfs.tier,
        size_gib=nfs.size.in_gib if nfs.size else None,
        zonal=True if nfs.zone else None,
        kms_key=nfs.kms_key is not None,
    )
    return order, described(nfs, path, KEYS, cluster)
