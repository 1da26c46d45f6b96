from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from hpc_components.aws.catalog.file_system_names import is_file_system_name
from hpc_components.aws.home.offer import OpenZfsOrder, has_failover
from hpc_components.catalog.stated_throughput import StatedThroughput, of_mbps
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.model import Int
from hpc_components.spec.storage import ExistingExport, FileSystem, NfsFileSystem
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration, Size, written_size

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec


class ExistingNfs(ExistingExport):
    """An existing NFS export on any server."""

    @property
    def is_inside_a_network(self) -> bool:
        return super().is_inside_a_network or is_file_system_name(self.server)


class Nfs(NfsFileSystem):
    """A fixed-size file system for homes and software: FSx for OpenZFS over NFS."""

    type: Literal["nfs"]
    size: Size | None = None
    """Capacity, from 64 GiB to 512 TiB."""
    deployment: Literal["single_az_1", "single_az_2", "multi_az_1"] = "single_az_1"
    """Deployment type, in one zone (`single_az_*`) or in two with failover (`multi_az_1`)."""
    throughput: Int = 128
    """Throughput in MB/s."""
    backups: Duration | None = Duration.parse("7d")
    """How long to keep daily backups, at most 90d, or null for no backups."""
    kms_key: str | None = None
    """ARN of the KMS key that encrypts the file system."""
    existing: ExistingNfs | None = None
    """An existing file system to mount instead of creating a new one."""

    @property
    def durability(self) -> Durability:
        """How well files are protected. FSx makes daily backups, unless backups are turned off. Source: FSx for
        OpenZFS user guide, "Working with backups".
        """
        if self.backups is not None:
            return Durability()
        return Durability(
            deletion=Weakness(reason="without backups, deleted files can't be recovered", fix=(("backups", "7d"),))
        )

    @property
    def stated_throughput(self) -> StatedThroughput:
        """The throughput capacity. Source: FSx API reference, MegabytesPerSecond ("the sustained throughput")."""
        return of_mbps(self.throughput, "FSx API reference, OpenZFSFileSystemConfiguration, ThroughputCapacity")

    def paid_services(self, name: str) -> Iterator[PaidService]:
        kind = "openzfs.multi_az" if has_failover(self.deployment) else "openzfs.single_az"
        yield PaidService(name, f"{kind}.storage", self.size.in_gib if self.size else 0)
        yield PaidService(name, f"{kind}.throughput", self.throughput)


class Efs(FileSystem):
    """EFS, a file system that grows and shrinks automatically."""

    type: Literal["efs"]
    throughput_mode: Literal["elastic", "bursting"] = "elastic"
    """`elastic` is billed by the amount of data transferred; `bursting` earns credits in proportion to the file
    system's size."""
    kms_key: str | None = None
    """ARN of the KMS key that encrypts the file system."""

    @property
    def durability(self) -> Durability:
        """How well files are protected. EFS itself makes no backups. Source: EFS user guide, "Backing up EFS file
        systems".
        """
        reason = (
            "EFS can be backed up only by AWS Backup, and the cluster creates no backup plan, so deleted files "
            "can't be recovered"
        )
        remedy = (
            "turn on automatic backups: aws efs put-backup-policy --file-system-id ID --backup-policy Status=ENABLED"
        )
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, level=Level.INFO))


KEYS: Keys = {
    "deployment": Key(("deployment",)),
    "region": None,  # always the cluster's region
    "size_gib": Key(("size",), written_size),
    "throughput": Key(("throughput",)),
    "backup_days": Key(("backups",), lambda days: f"{days}d"),
    "zones": Key(("queues", 0, "zones"), outside=True),
    "route_tables": None,
}


def zones_of(nfs: Nfs, cluster: "AwsClusterSpec") -> tuple[str, ...]:
    return cluster.zones[:2] if has_failover(nfs.deployment) else (cluster.zone,)


def order_of(nfs: Nfs, path: Path, cluster: "AwsClusterSpec") -> tuple[OpenZfsOrder, Surface]:
    order = OpenZfsOrder(
        deployment=nfs.deployment,
        region=cluster.region,
        size_gib=nfs.size.in_gib if nfs.size else None,
        throughput=nfs.throughput,
        backup_days=nfs.backups.days if nfs.backups else None,
        zones=zones_of(nfs, cluster),
        route_tables=cluster.network.existing is None if has_failover(nfs.deployment) else None,
    )
    return order, described(nfs, path, KEYS, cluster)
