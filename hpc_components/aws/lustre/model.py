from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hpc_components.aws.catalog.file_system_names import is_file_system_name
from hpc_components.aws.lustre.capacities import lustre_kinds
from hpc_components.aws.lustre.offer import LustreOrder
from hpc_components.aws.lustre_links.model import DataAssociation
from hpc_components.catalog.stated_throughput import StatedThroughput, per_tib
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
    """Host name that clients use to mount the file system."""
    mount_name: str
    """Mount name, which follows `@tcp:/` in mount commands."""

    @property
    def identity(self) -> tuple[str, ...]:
        return (self.id,)

    @property
    def is_inside_a_network(self) -> bool:
        """Whether the file system can be reached only from its own network, which is true of any file system with a
        valid FSx id.
        """
        return super().is_inside_a_network or is_file_system_name(self.id)


class Lustre(LustreFileSystem):
    """FSx for Lustre, a parallel file system."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity, which must be one of the sizes that FSx offers. As in FSx, `1.2TiB` means 1,200 GiB."""
    deployment: Literal["scratch_1", "scratch_2", "persistent_1", "persistent_2"] = "scratch_2"
    """Deployment type. `scratch_*` keeps no replicas, so data on a failed server is lost; `persistent_*` replicates
    data within the zone."""
    throughput: Int | None = None
    """Throughput in MB/s per TiB. Required for persistent file systems and not available for scratch."""
    storage: Literal["ssd", "hdd"] = "ssd"
    """Disk type."""
    drive_cache: Literal["none", "read"] | None = None
    """SSD read cache. Required for HDD (`none` or `read`) and not available for SSD."""
    compression: Flag = True
    """Whether data is compressed with LZ4."""
    efa: Flag = False
    """Whether clients with EFA reach the servers over EFA. Available only for `persistent_2`, and can't be changed
    later."""
    metadata_iops: Int | None = None
    """Provisioned metadata operations per second. Available only for `persistent_2`."""
    import_from: str | None = None
    """Shorthand for a single association that links the whole file system to `s3://bucket[/prefix]`."""
    associations: tuple[DataAssociation, ...] = ()
    """Links to buckets, at most 8."""
    backups: Duration | None = None
    """How long to keep daily backups, at most 90d. Available only for persistent file systems without links to
    buckets."""
    kms_key: str | None = None
    """ARN of the KMS key that encrypts the file system. Available only for persistent file systems."""
    existing: ExistingLustre | None = None
    """An existing file system to mount instead of creating a new one."""

    @property
    def links(self) -> tuple[DataAssociation, ...]:
        """All links to buckets, including `import_from`."""
        short = (DataAssociation(bucket=self.import_from),) if self.import_from else ()
        return short + self.associations

    @property
    def durability(self) -> Durability:
        """How well files are protected.

        Scratch file systems have no replicas. Deleted files can be restored only from backups or an export to a
        bucket. Source: FSx for Lustre user guide, "Deployment and storage class options", "Working with backups".
        """
        if self.deployment.startswith("scratch"):
            reason = f"{self.deployment} has no replicas, so files on a failed server are lost"
            remedy = "mount this file system at /scratch, and add home: {type: nfs, mount: /home, size: 1TiB}"
            return Durability(failure=Weakness(reason=reason, remedy=remedy))
        if self.backups is not None or any(link.auto_export for link in self.links):
            return Durability()
        reason = "without backups or an export to a bucket, a deleted file is lost"
        fix = (("backups", "7d"),) if not self.links else ()
        remedy = "" if fix else "use type: nfs or efs for homes, or set auto_export on a link"
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, fix=fix))

    @property
    def stated_throughput(self) -> StatedThroughput | None:
        """The throughput per TiB times the capacity, for reads as for writes.

        Source: FSx for Lustre user guide, "Performance characteristics of SSD and HDD storage classes"; FSx API
        reference, CreateFileSystemLustreConfiguration, PerUnitStorageThroughput.
        """
        kinds = lustre_kinds(self.deployment, storage=self.storage)
        found = next((kind for kind in kinds if kind.throughput == self.throughput), None)
        if self.size is None or found is None:
            return None
        source = "FSx for Lustre user guide, Performance characteristics of SSD and HDD storage classes"
        return per_tib(found.mbps_per_tib, self.size.lustre_gib, source)

    def paid_services(self, name: str) -> Iterator[PaidService]:
        item = f"lustre.{self.deployment}"
        if self.throughput is not None:
            item += f".{self.storage}.{self.throughput}"
        yield PaidService(name, item, self.size.lustre_gib if self.size else 0)


KEYS: Keys = {
    "deployment": Key(("deployment",)),
    "region": None,  # always the cluster's region
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


def order_of(lustre: Lustre, path: Path, cluster: "AwsClusterSpec") -> tuple[LustreOrder, Surface]:
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
