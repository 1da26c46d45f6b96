"""A parallel file system, FSx for Lustre, with links to buckets."""

import re
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, get_args

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.lustre import LustreOrder, is_link_path, link_paths_overlap, lustre_refusals
from hpc_components.aws.tags import Tags
from hpc_components.catalog.mounts import check_mount
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.component import Component
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options

Change = Literal["new", "changed", "deleted"]
Deployment = Literal["scratch_1", "scratch_2", "persistent_1", "persistent_2"]

LUSTRE_VERSION = "2.15"
"""Version that every deployment type supports and EFA requires. Source: FSx for Lustre user guide, "Lustre
versions"."""

LUSTRE_MOUNT_OPTIONS = "noatime,flock,user_xattr,_netdev"
"""`flock` provides locks across all nodes, which MPI-IO and many applications need.

Source: FSx for Lustre user guide, "Mounting from an EC2 instance"; AWS ParallelCluster's fstab.
"""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreAssociation:
    """A link between a directory of the file system and a bucket: objects load when first read."""

    path: str = "/"
    """Directory on the file system."""
    bucket: Input[str]
    """`s3://bucket` or `s3://bucket/prefix`, in the file system's region."""
    auto_import: tuple[Change, ...] = ("new", "changed", "deleted")
    """Changes in the bucket that are imported automatically."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Changes in the file system that are exported automatically. Without `deleted`, no object is ever deleted."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreFilesystemArgs:
    """Arguments of `LustreFilesystem`."""

    mount: str
    """Mount directory on every node."""
    capacity_gib: int
    """Capacity in GiB, one of the sizes that FSx offers; 1200 for what AWS calls 1.2 TiB."""
    deployment: Deployment = "scratch_2"
    """`scratch_*` has no replicas: data on a failed server is lost. `persistent_*` replicates data within the
    zone."""
    throughput: int | None = None
    """Throughput in MB/s per TiB; persistent only."""
    storage: Literal["ssd", "hdd"] = "ssd"
    """Type of the disks."""
    drive_cache: Literal["none", "read"] | None = None
    """SSD read cache; HDD only, and required there."""
    compression: bool = True
    """LZ4 compression."""
    efa: bool = False
    """Let clients with EFA reach the servers over EFA. Fixed at creation; persistent_2 only."""
    metadata_iops: int | None = None
    """Provisioned metadata operations per second; persistent_2 only."""
    associations: tuple[LustreAssociation, ...] = ()
    """Links to buckets."""
    backup_days: int | None = None
    """Days for which daily backups are kept, at most 90; only for persistent ones without links to buckets."""
    kms_key: Input[str] | None = None
    """ARN of the key that encrypts it; persistent only."""
    subnet_id: Input[str]
    """Id of its subnet. Traffic from nodes in other zones is billed."""
    security_group_ids: tuple[Input[str], ...]
    """Ids of its security groups; with EFA, one must allow all traffic to and from itself and the clients."""
    retain: bool = True
    """Protect the file system, and keep it in the cloud when it leaves the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse arguments that FSx would refuse."""
        check_mount(f"{_ARGS}.mount", self.mount)
        for refusal in lustre_refusals(_order(self)):
            raise ValueError(f"{_ARGS}.{_FIELDS.get(refusal.field, refusal.field)}: {_refused(self, refusal)}")
        _check_associations(self.associations)


class LustreFilesystem(Component[LustreFilesystemArgs]):
    """An FSx for Lustre file system and its links to buckets."""

    file_system_id: pulumi.Output[str]
    """Id, `fs-...`."""
    dns_name: pulumi.Output[str]
    """Host name from which clients mount it."""
    mount_name: pulumi.Output[str]
    """Name of the file system in mount commands, after `@tcp:/`."""
    mount: FileSystemMount
    """The mount, to pass to nodes."""

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
            _make_association(label, association, file_system, self, args.tags, retain=args.retain)
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


def _make_association(
    name: str,
    association: LustreAssociation,
    file_system: aws.fsx.LustreFileSystem,
    parent: pulumi.Resource,
    tags: Tags,
    *,
    retain: bool,
) -> None:
    aws.fsx.DataRepositoryAssociation(
        name,
        file_system_id=file_system.id,
        file_system_path=association.path,
        data_repository_path=association.bucket,
        # without it, objects that are already in the bucket would not be visible
        batch_import_meta_data_on_create=True,
        s3=aws.fsx.DataRepositoryAssociationS3Args(
            auto_import_policy=aws.fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(
                events=[change.upper() for change in association.auto_import]
            )
            if association.auto_import
            else None,
            auto_export_policy=aws.fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(
                events=[change.upper() for change in association.auto_export]
            )
            if association.auto_export
            else None,
        ),
        tags=tags.for_resource(name),
        # a link stays with a file system that is retained, and is deleted before one that is not
        opts=pulumi.ResourceOptions(parent=parent, deleted_with=file_system if retain else None),
    )


def _metadata(args: LustreFilesystemArgs) -> aws.fsx.LustreFileSystemMetadataConfigurationArgs | None:
    """Return the metadata configuration, which EFA needs even without provisioned operations."""
    if args.metadata_iops is not None:
        return aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="USER_PROVISIONED", iops=args.metadata_iops)
    return aws.fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC") if args.efa else None


_ARGS = "LustreFilesystemArgs"


_FIELDS = {"size_gib": "capacity_gib", "links": "associations"}
"""Arguments that are called differently in an order."""


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


def _refused(args: LustreFilesystemArgs, refusal: Refusal) -> str:
    """What FSx would refuse, and the remedy."""
    kind, allowed = args.deployment, list(map(str, refusal.allowed))
    match refusal.field:
        case "deployment":
            return f"{kind!r} is unknown; use {', '.join(allowed)}"
        case "storage":
            return f"{kind} has no {args.storage}; use ssd, or deployment persistent_1"
        case "drive_cache":
            return f"hdd needs one of none and read, {args.storage} takes none of them"
        case "throughput":
            choice = f"it must be one of {', '.join(allowed)} MB/s per TiB" if allowed else "leave it out"
            return f"{args.throughput} is none of {kind} with {args.storage}; {choice}"
        case "efa":
            return f"{kind} has no EFA; use persistent_2, or leave it out"
        case "size_gib":
            return f"FSx does not sell {args.capacity_gib} GiB of this kind; use {' or '.join(allowed)}"
        case "metadata_iops" if refusal.why is Why.NOT_SOLD:
            return f"FSx does not sell {args.metadata_iops}; use {' or '.join(allowed)}"
        case "backup_days" if refusal.why is Why.NOT_SOLD:
            return f"{args.backup_days} is not 0 to {allowed[-1]}"
        case "backup_days" if refusal.because_of == "links":
            return "a file system with links to buckets has no backups; leave it out"
        case "links" if refusal.why is Why.NOT_SOLD:
            return f"{len(args.associations)} are too many; FSx allows {allowed[-1]}"
        case "links":
            return f"{kind} has no links to buckets of this kind; use scratch_2"
        case _:
            return f"{kind} has none; leave it out or use persistent_2"


def _check_associations(associations: tuple[LustreAssociation, ...]) -> None:
    for index, association in enumerate(associations):
        where = f"{_ARGS}.associations[{index}]"
        if not is_link_path(association.path):
            raise ValueError(f"{where}.path: {association.path!r} must begin with / and name a directory")
        bucket = association.bucket
        if isinstance(bucket, str) and not re.fullmatch(r"s3://[a-z0-9.-]{3,63}(/.*)?", bucket):
            raise ValueError(f"{where}.bucket: {bucket!r} is not like s3://bucket or s3://bucket/prefix")
        if unknown := {*association.auto_import, *association.auto_export} - {*get_args(Change)}:
            raise ValueError(f"{where}: {min(unknown)!r} is no change; use {', '.join(get_args(Change))}")
    for one, other in combinations((association.path for association in associations), 2):
        if link_paths_overlap(one, other):
            raise ValueError(f"{_ARGS}.associations: {one} and {other} overlap; link directories side by side")
