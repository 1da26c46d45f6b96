"""File systems and buckets of an AWS cluster."""

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
    """Its id, `fs-0123456789abcdef0`."""
    dns_name: str
    """The host that clients mount."""
    mount_name: str
    """The name after `@tcp:/`."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Its id."""
        return (self.id,)

    @property
    def is_inside_a_network(self) -> bool:
        """Always, by its id."""
        return super().is_inside_a_network or is_file_system_name(self.id)


class DataAssociation(Model):
    """A link between a directory of a Lustre file system and a bucket: objects load when first read."""

    path: str = "/"
    """Directory on the file system."""
    bucket: str
    """`s3://bucket` or `s3://bucket/prefix`, in the cluster's region."""
    auto_import: tuple[Change, ...] = ("new", "changed", "deleted")
    """Which changes in the bucket appear in the file system by themselves."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Which changes in the file system go to the bucket. Without `deleted`, nothing in the bucket is ever deleted."""


class Lustre(LustreFileSystem):
    """A parallel file system, FSx for Lustre."""

    type: Literal["lustre"]
    size: Size | None = None
    """Capacity; FSx sells steps, and calls 1,200 GiB `1.2TiB`."""
    deployment: Literal["scratch_1", "scratch_2", "persistent_1", "persistent_2"] = "scratch_2"
    """`scratch_*` keeps no copies: data on a failed server is gone. `persistent_*` replicates within the zone."""
    throughput: Int | None = None
    """MB/s per TiB; persistent only."""
    storage: Literal["ssd", "hdd"] = "ssd"
    """Kind of disk."""
    drive_cache: Literal["none", "read"] | None = None
    """SSD read cache of HDD file systems."""
    compression: Flag = True
    """LZ4 compression."""
    efa: Flag = False
    """Clients with EFA reach the servers over EFA. Fixed at creation; persistent_2 only."""
    metadata_iops: Int | None = None
    """Provisioned metadata operations per second; persistent_2 only."""
    import_from: str | None = None
    """Short for one association of the whole file system with `s3://bucket[/prefix]`."""
    associations: tuple[DataAssociation, ...] = ()
    """Links to buckets; at most 8."""
    backups: Duration | None = None
    """Keep daily backups for this long, at most 90d; persistent without links to buckets only."""
    kms_key: str | None = None
    """ARN of the key that encrypts it; persistent only."""
    existing: ExistingLustre | None = None
    """Mount this one instead of making one."""

    @property
    def links(self) -> tuple[DataAssociation, ...]:
        """All links to buckets, `import_from` among them."""
        short = (DataAssociation(bucket=self.import_from),) if self.import_from else ()
        return short + self.associations

    @property
    def durability(self) -> Durability:
        """Scratch keeps one copy; backups or a bucket bring deleted files back.

        Source: FSx for Lustre user guide, "Deployment and storage class options", "Working with backups".
        """
        if self.deployment.startswith("scratch"):
            reason = f"{self.deployment} keeps no copies, and a failed server takes files with it"
            remedy = "mount this one at /scratch, and add home: {type: nfs, mount: /home, size: 1TiB}"
            return Durability(failure=Weakness(reason=reason, remedy=remedy))
        if self.backups is not None or any(link.auto_export for link in self.links):
            return Durability()
        reason = "without backups or a bucket to which files are exported, a deleted file is gone"
        fix = (("backups", "7d"),) if not self.links else ()
        remedy = "" if fix else "use type: nfs or efs for homes, or auto_export of a link"
        return Durability(deletion=Weakness(reason=reason, remedy=remedy, fix=fix))


AnyFileSystem = Annotated[Lustre | Nfs | Efs, Field(discriminator="type")]


class Bucket(ObjectBucket):
    """An S3 bucket that moves objects to colder storage with age."""

    type: Literal["s3"]
    name: str | None = None
    """Its name, unique in the world; default: the cluster's and bucket's names with a random end."""
    archive: dict[Literal["standard_ia", "glacier_ir", "glacier", "deep_archive"], Duration] = {}
    """Age at which objects move to a colder storage class, by class (`deep_archive: 180d`)."""


class ExpressBucket(SharedBucket):
    """S3 Express One Zone: a directory bucket in the zone of the nodes, for data fed to GPUs."""

    type: Literal["s3_express"]
    name: str | None = None
    """How the names begin, unique in the zone over all accounts; default: the cluster's and bucket's names."""
    zone: str | None = None
    """Zone id; default: the cluster's zone."""
    shards: Int = 1
    """Number of buckets over which data is spread: one bucket does not fill 3.2 Tbps."""


AnyBucket = Annotated[Bucket | ExpressBucket, Field(discriminator="type")]
