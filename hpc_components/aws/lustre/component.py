from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.lustre.offer import LustreOrder, refusals
from hpc_components.aws.lustre_links.component import LustreAssociation, check_associations, make_association
from hpc_components.aws.tags import Tags
from hpc_components.catalog.mounts import check_mount
from hpc_components.component import Component
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

Deployment = Literal["scratch_1", "scratch_2", "persistent_1", "persistent_2"]

LUSTRE_VERSION = "2.15"
"""Lustre version that every deployment type supports and that EFA requires. Source: FSx for Lustre user guide,
"Lustre versions"."""

LUSTRE_MOUNT_OPTIONS = "noatime,flock,user_xattr,_netdev"
"""Mount options. They include `flock`, because MPI-IO and many applications need file locks that work across all
nodes.

Source: FSx for Lustre user guide, "Mounting from an EC2 instance"; AWS ParallelCluster's fstab.
"""

_ARGUMENTS: Keys = {
    "deployment": Key(("deployment",)),
    "region": None,  # determined by the subnet
    "storage": Key(("storage",)),
    "size_gib": Key(("capacity_gib",)),
    "throughput": Key(("throughput",)),
    "drive_cache": Key(("drive_cache",)),
    "efa": Key(("efa",)),
    "metadata_iops": Key(("metadata_iops",)),
    "kms_key": Key(("kms_key",)),
    "backup_days": Key(("backup_days",)),
    "links": Key(("associations",)),
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreFilesystemArgs:
    """Arguments of `LustreFilesystem`."""

    mount: str
    """Directory where every node mounts the file system."""
    capacity_gib: int
    """Capacity in GiB. Must be one of the sizes that FSx offers, e.g. 1200 for what AWS calls 1.2 TiB."""
    deployment: Deployment = "scratch_2"
    """Deployment type. `scratch_*` keeps no replicas, so data on a failed server is lost; `persistent_*` replicates
    data within the zone."""
    throughput: int | None = None
    """Throughput in MB/s per TiB. Required for persistent file systems and not available for scratch."""
    storage: Literal["ssd", "hdd"] = "ssd"
    """Disk type."""
    drive_cache: Literal["none", "read"] | None = None
    """SSD read cache. Required for HDD (`none` or `read`) and not available for SSD."""
    compression: bool = True
    """Whether data is compressed with LZ4."""
    efa: bool = False
    """Whether clients with EFA reach the servers over EFA. Available only for `persistent_2`, and can't be changed
    later."""
    metadata_iops: int | None = None
    """Provisioned metadata operations per second. Available only for `persistent_2`."""
    associations: tuple[LustreAssociation, ...] = ()
    """Links to buckets."""
    backup_days: int | None = None
    """Number of days to keep daily backups, at most 90. Available only for persistent file systems without links to
    buckets."""
    kms_key: Input[str] | None = None
    """ARN of the KMS key that encrypts the file system. Available only for persistent file systems."""
    subnet_id: Input[str]
    """Id of the file system's subnet. Traffic from nodes in other zones is billed."""
    security_group_ids: tuple[Input[str], ...]
    """Ids of the file system's security groups. With EFA, one of them must allow all traffic to and from itself and
    the clients."""
    retain: bool = True
    """Whether to protect the file system and keep it in the cloud when it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse arguments that FSx would refuse."""
        check_mount("LustreFilesystemArgs.mount", self.mount)
        refuse_first(self, refusals(_order(self)), _ARGUMENTS)
        check_associations(self, self.associations)


class LustreFilesystem(Component[LustreFilesystemArgs]):
    """An FSx for Lustre file system and its links to buckets."""

    file_system_id: pulumi.Output[str]
    """Id of the file system, such as `fs-0123456789abcdef0`."""
    dns_name: pulumi.Output[str]
    """Host name that clients use to mount the file system."""
    mount_name: pulumi.Output[str]
    """Mount name, which follows `@tcp:/` in mount commands."""
    mount: FileSystemMount
    """The mount, to pass to other components."""

    def _make(self, name: str, args: LustreFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"capacityGib": args.capacity_gib, "deployment": args.deployment, "mount": args.mount}
        self._register("hpc:aws:LustreFilesystem", name, summary, opts)
        persistent = args.deployment.startswith("persistent")
        file_system = aws.fsx.LustreFileSystem(
            name,
            file_system_type_version=LUSTRE_VERSION,
            deployment_type=args.deployment.upper(),
            storage_type=args.storage.upper(),
            storage_capacity=args.capacity_gib,
            per_unit_storage_throughput=args.throughput,
            drive_cache_type=args.drive_cache.upper() if args.drive_cache else None,
            data_compression_type="LZ4" if args.compression else "NONE",
            efa_enabled=args.efa or None,
            metadata_configuration=_metadata(args),
            automatic_backup_retention_days=(args.backup_days or 0) if persistent else None,
            copy_tags_to_backups=True if args.backup_days else None,
            kms_key_id=args.kms_key,
            subnet_ids=args.subnet_id,
            security_group_ids=list(args.security_group_ids),
            tags=args.tags.for_resource(name),
            opts=protected_options(self, opts, retain=args.retain),
        )
        for association in args.associations:
            label = f"{name}:{association.path}"
            make_association(label, association, file_system, self, args.tags, retain=args.retain)
        self.file_system_id = file_system.id
        self.dns_name = file_system.dns_name
        self.mount_name = file_system.mount_name
        self.mount = FileSystemMount(
            name=name,
            type="lustre",
            mount=args.mount,
            server=file_system.dns_name,
            export=file_system.mount_name,
            options=LUSTRE_MOUNT_OPTIONS,
        )
        self.register_outputs({"fileSystemId": self.file_system_id, "dnsName": self.dns_name})


def _metadata(args: LustreFilesystemArgs) -> aws.fsx.LustreFileSystemMetadataConfigurationArgs | None:
    """Return the metadata configuration, or None if no configuration is needed. EFA requires one even if no metadata
    IOPS are provisioned.
    """
    if args.metadata_iops is not None:
        return aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="USER_PROVISIONED", iops=args.metadata_iops)
    return aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC") if args.efa else None


def _order(args: LustreFilesystemArgs) -> LustreOrder:
    return LustreOrder(
        deployment=args.deployment,
        storage=args.storage,
        size_gib=args.capacity_gib,
        throughput=args.throughput,
        drive_cache=args.drive_cache,
        efa=args.efa,
        metadata_iops=args.metadata_iops,
        kms_key=args.kms_key is not None,
        backup_days=args.backup_days or None,
        links=len(args.associations),
    )
