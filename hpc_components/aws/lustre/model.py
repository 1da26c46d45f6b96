"""A Lustre file system's keys in a description, and the order built from them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hpc_components.aws.catalog.file_system_names import is_file_system_name
from hpc_components.aws.lustre.offer import LustreOrder
from hpc_components.aws.lustre_links.model import DataAssociation
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Flag, Int
from hpc_components.spec.storage import Existing, LustreFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration, Size

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec


class ExistingLustre(Existing):
    """An existing Lustre file system."""

    id: str
    """Id of the file system, such as `fs-0123456789abcdef0`."""
    dns_name: str
    """Host name from which clients mount the file system."""
    mount_name: str
    """The file system's name in mount commands, after `@tcp:/`."""

    @property
    def identity(self) -> tuple[str, ...]:
        """The id, which identifies the file system."""
        return (self.id,)

    @property
    def is_inside_a_network(self) -> bool:
        """Whether the host name or id belongs to FSx, which is true of every valid id."""
        return super().is_inside_a_network or is_file_system_name(self.id)


class Lustre(LustreFileSystem):
    """FSx for Lustre, a parallel file system."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity; must be one of the sizes that FSx offers. As in FSx, 1,200 GiB can be written as `1.2TiB`."""
    deployment: Literal["scratch_1", "scratch_2", "persistent_1", "persistent_2"] = "scratch_2"
    """`scratch_*` has no replicas: data on a failed server is lost. `persistent_*` replicates data within the
    zone."""
    throughput: Int | None = None
    """Throughput in MB/s per TiB; persistent only."""
    storage: Literal["ssd", "hdd"] = "ssd"
    """Disk type."""
    drive_cache: Literal["none", "read"] | None = None
    """SSD read cache for HDD file systems."""
    compression: Flag = True
    """Whether data is compressed with LZ4."""
    efa: Flag = False
    """Whether clients with EFA reach the servers over EFA; can't be changed later; persistent_2 only."""
    metadata_iops: Int | None = None
    """Provisioned metadata operations per second; persistent_2 only."""
    import_from: str | None = None
    """Shorthand for a single association that links the whole file system to `s3://bucket[/prefix]`."""
    associations: tuple[DataAssociation, ...] = ()
    """Links to buckets, at most 8."""
    backups: Duration | None = None
    """Time for which daily backups are kept, at most 90d; only for persistent file systems without links to
    buckets."""
    kms_key: str | None = None
    """ARN of the KMS key that encrypts the file system; persistent only."""
    existing: ExistingLustre | None = None
    """An existing file system to mount instead of creating a new one."""

    @property
    def links(self) -> tuple[DataAssociation, ...]:
        """All links to buckets, including `import_from`."""
        short = (DataAssociation(bucket=self.import_from),) if self.import_from else ()
        return short + self.associations

    @property
    def durability(self) -> Durability:
        """How well files are protected: scratch has no replicas, and only backups or a bucket let deleted files be
        restored.

        Source: FSx for Lustre user guide, "Deployment and storage class options", "Working with backups".
        """
        if self.deployment.startswith("scratch"):
            reason = f"{self.deployment} has no replicas, so files on a failed server are lost"
            remedy = "mount this one at /scratch, and add home: {type: nfs, mount: /home, size: 1TiB}"
            return Durability(failure=Weakness(reason=reason, remedy=remedy))
        if self.backups is not None or any(link.auto_export for link in self.links):
            return Durability()
        reason = "without backups or an export to a bucket, a deleted file is lost"
        fix = (("backups", "7d"),) if not self.links else ()
        remedy = "" if fix else "use type: nfs or efs for homes, or auto_export of a link"
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, fix=fix))

    def paid_services(self, name: str) -> Iterator[PaidService]:
        """Yield the services that are billed for the file system `name`."""
        item = f"lustre.{self.deployment}"
        if self.throughput is not None:
            item += f".{self.storage}.{self.throughput}"
        yield PaidService(name, item, self.size.lustre_gib if self.size else 0)


KEYS: Keys = {
    "deployment": Key(("deployment",)),
    "region": None,  # the cluster's region
    "storage": Key(("storage",)),
    "size_gib": Key(("size",), lambda gib: f"{gib}GiB"),
    "throughput": Key(("throughput",)),
    "drive_cache": Key(("drive_cache",)),
    "efa": Key(("efa",)),
    "metadata_iops": Key(("metadata_iops",)),
    "kms_key": Key(("kms_key",)),
    "backup_days": Key(("backups",), lambda days: f"{days}d"),
    "links": Key(("associations",)),
}
"""Maps each order field to its key."""


def order_of(lustre: Lustre, path: Path, cluster: "AwsClusterSpec") -> tuple[LustreOrder, Surface]:
    """Return the order for the file system at `path`, and where the description defines it."""
    order = LustreOrder(
        deployment=lustre.deployment,
        region=cluster.region,
        storage=lustre.storage,
        size_gib=None if lustre.size is None else lustre.size.lustre_gib,
        throughput=lustre.throughput,
        drive_cache=lustre.drive_cache,
        efa=lustre.efa,
        metadata_iops=lustre.metadata_iops,
        kms_key=lustre.kms_key is not None,
        backup_days=None if lustre.backups is None else lustre.backups.days,
        links=len(lustre.links),
    )
    surface = described(lustre, path, KEYS, cluster)
    if lustre.associations:
        surface = replace(surface, values={**surface.values, "links": order.links})
    return order, surface
