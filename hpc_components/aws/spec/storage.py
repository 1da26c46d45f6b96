"""File systems and buckets in a description for AWS."""

from typing import Annotated, Literal

from pydantic import Field

from hpc_components.aws.catalog.file_system_names import is_file_system_name
from hpc_components.aws.home.model import Efs, Nfs
from hpc_components.spec.durability import Durability, Weakness
from hpc_components.spec.model import Flag, Int, Model
from hpc_components.spec.storage import (
    Existing,
    LustreFileSystem,
    ObjectBucket,
    SharedBucket,
)
from hpc_components.spec.values import Duration, Size

Change = Literal["new", "changed", "deleted"]


class ExistingLustre(Existing):
    """An existing Lustre file system."""

    id: str
    """Id of the file system, `fs-0123456789abcdef0`."""
    dns_name: str
    """Host name from which clients mount it."""
    mount_name: str
    """Name of the file system in mount commands, after `@tcp:/`."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Id of the file system."""
        return (self.id,)

    @property
    def is_inside_a_network(self) -> bool:
        """Whether its host name or id belongs to FSx; so always."""
        return super().is_inside_a_network or is_file_system_name(self.id)


class DataAssociation(Model):
    """A link between a directory of a Lustre file system and a bucket: objects load when first read."""

    path: str = "/"
    """Directory on the file system."""
    bucket: str
    """`s3://bucket` or `s3://bucket/prefix`, in the cluster's region."""
    auto_import: tuple[Change, ...] = ("new", "changed", "deleted")
    """Changes in the bucket that are imported automatically."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Changes in the file system that are exported automatically. Without `deleted`, no object is ever deleted."""


class Lustre(LustreFileSystem):
    """A parallel file system, FSx for Lustre."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity, one of the sizes that FSx offers; it calls 1,200 GiB `1.2TiB`."""
    deployment: Literal["scratch_1", "scratch_2", "persistent_1", "persistent_2"] = "scratch_2"
    """`scratch_*` has no replicas: data on a failed server is lost. `persistent_*` replicates data within the
    zone."""
    throughput: Int | None = None
    """Throughput in MB/s per TiB; persistent only."""
    storage: Literal["ssd", "hdd"] = "ssd"
    """Type of the disks."""
    drive_cache: Literal["none", "read"] | None = None
    """SSD read cache of HDD file systems."""
    compression: Flag = True
    """LZ4 compression."""
    efa: Flag = False
    """Let clients with EFA reach the servers over EFA. Fixed at creation; persistent_2 only."""
    metadata_iops: Int | None = None
    """Provisioned metadata operations per second; persistent_2 only."""
    import_from: str | None = None
    """Short form of one association of the whole file system with `s3://bucket[/prefix]`."""
    associations: tuple[DataAssociation, ...] = ()
    """Links to buckets; at most 8."""
    backups: Duration | None = None
    """Time for which daily backups are kept, at most 90d; only for persistent ones without links to buckets."""
    kms_key: str | None = None
    """ARN of the key that encrypts it; persistent only."""
    existing: ExistingLustre | None = None
    """An existing file system to mount instead of a new one."""

    @property
    def links(self) -> tuple[DataAssociation, ...]:
        """All links to buckets, including `import_from`."""
        short = (DataAssociation(bucket=self.import_from),) if self.import_from else ()
        return short + self.associations

    @property
    def durability(self) -> Durability:
        """Protection of its files: scratch has no replicas; backups or a bucket allow deleted files to be restored.

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


AnyFileSystem = Annotated[Lustre | Nfs | Efs, Field(discriminator="type")]


class Bucket(ObjectBucket):
    """An S3 bucket that moves objects to colder storage as they age."""

    type: Literal["s3"]
    name: str | None = None
    """Globally unique bucket name; default: the cluster's and the bucket's name with a random suffix."""
    archive: dict[Literal["standard_ia", "glacier_ir", "glacier", "deep_archive"], Duration] = {}
    """Age at which objects move to a colder storage class, by class (`deep_archive: 180d`)."""


class ExpressBucket(SharedBucket):
    """S3 Express One Zone: a directory bucket in the zone of the nodes, for data fed to GPUs."""

    type: Literal["s3_express"]
    name: str | None = None
    """Prefix of the bucket names, unique in the zone across all accounts; default: the cluster's and bucket's
    name."""
    zone: str | None = None
    """Zone id; default: the cluster's zone."""
    shards: Int = 1
    """Number of buckets to spread the data over; one bucket is slower than 3.2 Tbps."""


AnyBucket = Annotated[Bucket | ExpressBucket, Field(discriminator="type")]
