from typing import TYPE_CHECKING, Literal

from hpc_components.catalog.stated_throughput import StatedThroughput, per_tib
from hpc_components.gcp.lustre.offer import LustreOrder
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Path
from hpc_components.spec.storage import Existing, LustreFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Size

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec


class ExistingLustre(Existing):
    """An existing Lustre file system."""

    server: str
    """Address of the management server (MGS), which is the part before `@tcp` in the mount point."""
    mount_name: str
    """Name of the file system, which is the part after `@tcp:/` in the mount point."""

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.server, self.mount_name)


class Lustre(LustreFileSystem):
    """A parallel file system (Managed Lustre)."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity, in steps that depend on the throughput, e.g. `9000GiB` at 1000 MB/s per TiB. The capacity can be
    increased later."""
    throughput: Literal[125, 250, 500, 1000] = 1000
    """Throughput in MB/s per TiB. It can't be changed later."""
    zone: str | None = None
    """Zone of the file system; default: the cluster's zone."""
    import_from: str | None = None
    """`gs://bucket[/prefix]` whose objects are imported as files. They are imported once, when the head node first
    mounts the file system."""
    export_to: str | None = None
    """`gs://bucket[/prefix]` to which new and changed files are copied every day, and when an administrator runs
    `hpc-export`. Objects in the bucket are never deleted."""
    root_squash: Literal["none", "root_only"] = "none"
    """With `root_only`, root on a client is mapped to an unprivileged user. With `none`, root keeps its
    privileges."""
    kms_key: str | None = None
    """Id of your own Cloud KMS key for encrypting the file system; default: Google's key."""
    existing: ExistingLustre | None = None
    """Existing file system to mount instead of creating one."""

    @property
    def durability(self) -> Durability:
        """The file system's durability. It depends on exports, because Managed Lustre has no backups or snapshots.

        Source: Managed Lustre documentation, "Transfer data to or from Cloud Storage".
        """
        if self.export_to is not None:
            return Durability()
        reason = "Managed Lustre has no backups or snapshots, so without export_to, deleted files are lost"
        return Durability(
            deletion=Weakness(
                reason=reason, remedy="mount the file system at /scratch and keep homes on nfs, or add export_to"
            )
        )

    @property
    def stated_throughput(self) -> StatedThroughput | None:
        """The throughput per TiB times the capacity. Source: Managed Lustre documentation, "Performance tiers"."""
        if self.size is None:
            return None
        return per_tib(self.throughput, self.size.in_gib, "Managed Lustre documentation, Performance tiers")

    def paid_service(self, name: str) -> PaidService:
        return PaidService(name, f"lustre.{self.throughput}", float(self.size.in_gib) if self.size else 0)


KEYS: Keys = {
    "throughput": Key(("throughput",)),
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
}


def order_of(lustre: Lustre, path: Path, cluster: "GcpClusterSpec") -> tuple[LustreOrder, Surface]:
    order = LustreOrder(throughput=lustre.throughput, size_gib=lustre.size.in_gib if lustre.size else None)
    return order, described(lustre, path, KEYS, cluster)
