from typing import TYPE_CHECKING, Literal

from hpc_components.catalog.stated_throughput import StatedThroughput
from hpc_components.gcp.home.offer import HomeOrder, Tier, stated_throughput
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.storage import ExistingExport, NfsFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Size

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec


class ExistingNfs(ExistingExport):
    """An existing NFS export on any server."""


class Nfs(NfsFileSystem):
    """A Filestore file system for homes and software, mounted over NFS."""

    type: Literal["nfs"]
    size: Size | None = None
    """Capacity: at least 1 TiB (2.5 TiB for `basic_ssd`, 100 GiB for `regional`)."""
    tier: Tier = "zonal"
    """Filestore tier. `regional` survives the loss of a zone."""
    zone: str | None = None
    """Zone of the instance; default: the cluster's zone. Not allowed with tier `regional`."""
    kms_key: str | None = None
    """Id of your own Cloud KMS key for encrypting the file system (`zonal` and `regional` only); default: Google's
    key."""
    existing: ExistingNfs | None = None
    """Existing export to mount instead of creating a file system."""

    @property
    def durability(self) -> Durability:
        """The file system's durability. Filestore doesn't make backups automatically.

        Source: Filestore documentation, "Backups overview".
        """
        reason = (
            "Filestore makes backups only on request, and the cluster doesn't schedule any, so deleted files are lost"
        )
        remedy = "schedule `gcloud filestore backups create`, or use Backup and DR Service"
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, level=Level.INFO))

    @property
    def stated_throughput(self) -> StatedThroughput | None:
        """The throughput of the tier, which grows with the capacity, or None if the catalogue has none."""
        return stated_throughput(self.tier, self.size.in_gib) if self.size else None

    def paid_service(self, name: str) -> PaidService:
        return PaidService(name, f"filestore.{self.tier}", float(self.size.in_gib) if self.size else 0)


KEYS: Keys = {
    "tier": Key(("tier",)),
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    # without `zone`, the instance is in the cluster's zone or region, depending on the tier
    "zonal": Key(("zone",), lambda _: None),
    "kms_key": Key(("kms_key",)),
}


def order_of(nfs: Nfs, path: Path, cluster: "GcpClusterSpec") -> tuple[HomeOrder, Surface]:
    order = HomeOrder(
        tier=nfs.tier,
        size_gib=nfs.size.in_gib if nfs.size else None,
        zonal=True if nfs.zone else None,
        kms_key=nfs.kms_key is not None,
    )
    return order, described(nfs, path, KEYS, cluster)
