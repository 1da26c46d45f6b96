from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.home.offer import OpenZfsOrder, has_failover, openzfs, refusals
from hpc_components.aws.tags import Tags
from hpc_components.catalog import region_of_zone
from hpc_components.catalog.mounts import check_mount
from hpc_components.component import Component
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

Kind = Literal["openzfs", "efs"]
ThroughputMode = Literal["elastic", "bursting"]

OPENZFS_MOUNT_OPTIONS = "nfsvers=4.2,nconnect=16,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,_netdev"
"""Mount options for multiple connections and the maximum read and write sizes. Source: FSx for OpenZFS user guide,
"Mounting from Linux"."""

EFS_MOUNT_OPTIONS = "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport,_netdev"
"""Mount options for EFS, which supports neither NFS 4.2 nor nconnect. Source: EFS user guide, "Recommended NFS mount
settings"."""

USUAL_THROUGHPUT = 128
"""Default throughput in MB/s, unless the deployment type's minimum is higher."""

_ARGS = "HomeFilesystemArgs"

_ARGUMENTS: Keys = {
    "deployment": Key(("deployment",)),
    "region": None,  # determined by the subnets
    "size_gib": Key(("capacity_gib",)),
    "throughput": Key(("throughput",)),
    "backup_days": Key(("backup_days",)),
    "zones": Key(("subnets",)),
    "route_tables": Key(("route_table_ids",)),
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class HomeFilesystemArgs:
    """Arguments of `HomeFilesystem`."""

    mount: str
    """Mount directory on every node."""
    kind: Kind = "openzfs"
    """`openzfs`: fixed size, fast with small files; `efs`: billed by the amount of data stored, accessible from all
    zones."""
    capacity_gib: int | None = None
    """Capacity in GiB; openzfs only, where it is required."""
    deployment: str = "single_az_1"
    """Deployment type, in one zone (`single_az_*`) or in two with failover (`multi_az_1`); openzfs only."""
    throughput: int | None = None
    """Throughput in MB/s; openzfs only. Default: 128, or the deployment type's minimum if that is higher."""
    backup_days: int | None = None
    """Number of days to keep daily backups, at most 90; openzfs only."""
    throughput_mode: ThroughputMode = "elastic"
    """`elastic` is billed by the amount of data transferred; `bursting` earns credits in proportion to the file
    system's size. efs only."""
    kms_key: Input[str] | None = None
    """ARN of the KMS key that encrypts the file system; default: the account's default key."""
    clients: Input[str]
    """Address range of the clients that may mount the file system, with root access: normally the network's own
    range, such as `10.20.0.0/16`."""
    subnets: Mapping[str, Input[str]]
    """Maps zone ids to subnet ids. `single_az_*` requires one subnet, `multi_az_1` two (preferred zone first), and
    efs one or more."""
    route_table_ids: tuple[Input[str], ...] = ()
    """Ids of the route tables of all client subnets; `multi_az_1` only. FSx adds its floating address to these tables
    and tags them `AmazonFSx: ManagedByAmazonFSx`; pulumi-aws neither shows nor removes this tag."""
    security_group_ids: tuple[Input[str], ...]
    """Ids of the file system's security groups, which must allow NFS traffic from the nodes."""
    retain: bool = True
    """Whether to protect the file system, and to keep it in the cloud when it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse arguments that FSx or EFS would refuse."""
        check_mount(f"{_ARGS}.mount", self.mount)
        if self.kind not in get_args(Kind):
            raise ValueError(f"{_ARGS}.kind: {self.kind!r} is unknown; use {' or '.join(get_args(Kind))}")
        if not self.subnets:
            raise ValueError(f"{_ARGS}.subnets: no subnet is specified; add at least one, keyed by zone id")
        if self.kind == "openzfs":
            refuse_first(self, refusals(_order(self)), _ARGUMENTS)
        else:
            _check_efs(self)


def _order(args: HomeFilesystemArgs) -> OpenZfsOrder:
    return OpenZfsOrder(
        deployment=args.deployment,
        region=region_of_zone("aws", next(iter(args.subnets))),
        size_gib=args.capacity_gib,
        throughput=args.throughput,
        backup_days=args.backup_days or None,
        zones=tuple(args.subnets),
        route_tables=bool(args.route_table_ids),
    )


def _check_efs(args: HomeFilesystemArgs) -> None:
    for name in ("capacity_gib", "throughput", "backup_days", "route_table_ids"):
        if getattr(args, name):
            raise ValueError(f"{_ARGS}.{name}: efs doesn't support this argument; leave it out, or use openzfs")
    if args.throughput_mode not in get_args(ThroughputMode):
        choice = " or ".join(get_args(ThroughputMode))
        raise ValueError(f"{_ARGS}.throughput_mode: {args.throughput_mode!r} is unknown; use {choice}")


class HomeFilesystem(Component[HomeFilesystemArgs]):
    """A file system that all nodes mount over NFS. The file system is encrypted at rest, and root on any node can
    access all files.
    """

    file_system_id: pulumi.Output[str]
    """Id of the file system, such as `fs-0123456789abcdef0`."""
    dns_name: pulumi.Output[str]
    """Host name that clients use to mount the file system."""
    mount: FileSystemMount
    """The mount, to pass to the components that create nodes."""

    def _make(self, name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:HomeFilesystem", name, {"kind": args.kind, "mount": args.mount}, opts)
        data = protected_options(self, opts, retain=args.retain)
        make = _make_openzfs if args.kind == "openzfs" else _make_efs
        file_system = make(name, args, data)
        self.file_system_id = file_system.id
        self.dns_name = file_system.dns_name
        self.mount = FileSystemMount(
            name=name,
            type="nfs",
            mount=args.mount,
            server=file_system.dns_name,
            export="/fsx" if args.kind == "openzfs" else "/",
            options=OPENZFS_MOUNT_OPTIONS if args.kind == "openzfs" else EFS_MOUNT_OPTIONS,
        )
        self.register_outputs({"fileSystemId": self.file_system_id, "dnsName": self.dns_name})


def _make_openzfs(name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions) -> aws.fsx.OpenZfsFileSystem:
    subnet_ids = list(args.subnets.values())
    failover = has_failover(args.deployment)
    everybody = aws.fsx.OpenZfsFileSystemRootVolumeConfigurationNfsExportsClientConfigurationArgs(
        clients=args.clients,
        # the head node creates home directories as root
        options=["rw", "crossmnt", "no_root_squash"],
    )
    return aws.fsx.OpenZfsFileSystem(
        name,
        deployment_type=args.deployment.upper(),
        storage_capacity=args.capacity_gib,
        throughput_capacity=_throughput(args),
        automatic_backup_retention_days=args.backup_days or 0,
        copy_tags_to_backups=True,
        copy_tags_to_volumes=True,
        skip_final_backup=not args.retain,
        delete_options=None if args.retain else ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"],
        kms_key_id=args.kms_key,
        root_volume_configuration=aws.fsx.OpenZfsFileSystemRootVolumeConfigurationArgs(
            data_compression_type="LZ4",
            nfs_exports=aws.fsx.OpenZfsFileSystemRootVolumeConfigurationNfsExportsArgs(
                client_configurations=[everybody]
            ),
        ),
        subnet_ids=subnet_ids,
        preferred_subnet_id=subnet_ids[0] if failover else None,
        route_table_ids=list(args.route_table_ids) if failover else None,
        security_group_ids=list(args.security_group_ids),
        tags=args.tags.for_resource(name),
        opts=opts,
    )


def _make_efs(name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions) -> aws.efs.FileSystem:
    file_system = aws.efs.FileSystem(
        name,
        encrypted=True,
        kms_key_id=args.kms_key,
        throughput_mode=args.throughput_mode,
        tags=args.tags.for_resource(name),
        opts=opts,
    )
    for zone, subnet_id in args.subnets.items():
        aws.efs.MountTarget(
            f"{name}-{zone}",
            file_system_id=file_system.id,
            subnet_id=subnet_id,
            security_groups=list(args.security_group_ids),
            opts=pulumi.ResourceOptions(parent=opts.parent),
        )
    return file_system


def _throughput(args: HomeFilesystemArgs) -> int:
    sold = openzfs(args.deployment)
    return args.throughput or max(USUAL_THROUGHPUT, min(sold.throughputs) if sold else 0)
