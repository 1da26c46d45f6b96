from typing import TYPE_CHECKING, Literal

from hpc_components.azure.home.offer import MIBPS_SOURCES, HomeOrder, mibps, netapp_pool_tib
from hpc_components.catalog.stated_throughput import StatedThroughput
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Path
from hpc_components.spec.storage import ExistingExport, NfsFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration, Size, written_size

if TYPE_CHECKING:
    from hpc_components.azure.spec.cluster import AzureClusterSpec


class ExistingNfs(ExistingExport):
    """An existing NFS export on any server."""


class Nfs(NfsFileSystem):
    """A file system for homes and software over NFS: a premium Azure Files share, or a NetApp Files volume."""

    type: Literal["nfs"]
    service: Literal["files", "netapp"] = "files"
    """Service: `files` for Azure Files, or `netapp` for NetApp Files."""
    size: Size | None = None
    """Capacity, up to 100 TiB. The minimum is 100 GiB for Azure Files and 50 GiB for NetApp Files."""
    level: Literal["standard", "premium", "ultra"] | None = None
    """NetApp Files service level: `standard` (16 MiB/s per TiB), `premium` (64) or `ultra` (128); default:
    premium."""
    snapshots: Duration | None = Duration.parse("7d")
    """How long to keep daily snapshots; NetApp Files only. Azure Files takes no daily snapshots, so deleted or
    overwritten files can't be restored there."""
    deleted_share_retention: Duration | None = Duration.parse("7d")
    """How long a deleted share can be restored; Azure Files only. Individual files can't be restored."""
    existing: ExistingNfs | None = None
    """An existing file system to mount instead of creating a new one."""

    @property
    def durability(self) -> Durability:
        """Ways in which the file system can lose files. On NetApp Files, deleted files can be restored from daily
        snapshots, unless the snapshots are turned off.

        Source: Azure NetApp Files documentation, "How Azure NetApp Files snapshots work".
        """
        if self.service != "netapp" or self.snapshots is not None:
            return Durability()
        reason = "without snapshots, a deleted file can't be restored"
        return Durability(deletion=Weakness(reason=reason, fix=(("snapshots", "7d"),)))

    @property
    def stated_throughput(self) -> StatedThroughput | None:
        """The throughput that the service derives from the capacity. Source: that of `mibps`."""
        if self.size is None:
            return None
        rate = mibps(self.service, self.size.in_gib, self.level)
        return StatedThroughput(write=rate, read=rate, source=MIBPS_SOURCES[self.service])

    def paid_service(self, name: str) -> PaidService:
        gib = float(self.size.in_gib) if self.size else 0
        if self.service == "files":
            return PaidService(name, "files.premium", gib)
        return PaidService(name, f"netapp.{self.level or 'premium'}", netapp_pool_tib(gib) * 1024)


_SUBNET = ("network", "existing", "netapp")

KEYS: Keys = {
    "service": Key(("service",)),
    "size_gib": Key(("size",), written_size),
    "large": None,
    "level": Key(("level",)),
    "snapshot_days": Key(("snapshots",), lambda days: f"{days}d"),
    "deleted_share_days": Key(("deleted_share_retention",), lambda days: f"{days}d"),
    "subnet": Key(_SUBNET, outside=True),
    "subnet_prefix": Key((*_SUBNET, "cidr"), outside=True),
}


def order_of(nfs: Nfs, path: Path, cluster: "AzureClusterSpec") -> tuple[HomeOrder, Surface]:
    network = cluster.network.existing
    subnet = network.netapp if network else None
    # ignore the defaults of these keys, because each of them applies to only one of the services
    snapshots = nfs.snapshots if nfs.given("snapshots") else None
    deleted = nfs.deleted_share_retention if nfs.given("deleted_share_retention") else None
    order = HomeOrder(
        service=nfs.service,
        size_gib=nfs.size.in_gib if nfs.size else None,
        level=nfs.level,
        snapshot_days=snapshots.days if snapshots else None,
        deleted_share_days=deleted.days if deleted else None,
        subnet=None if network is None else subnet is not None,
        subnet_prefix=subnet.cidr.prefixlen if subnet else None,
    )
    return order, described(nfs, path, KEYS, cluster)
