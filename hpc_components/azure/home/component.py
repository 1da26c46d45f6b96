from dataclasses import dataclass, field
from typing import get_args

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.networks import private_dns_zone
from hpc_components.azure.components.storage_account import make_storage_account
from hpc_components.azure.home.offer import HomeOrder, Service, netapp_pool_tib, refusals
from hpc_components.azure.network.endpoints import make_private_endpoint
from hpc_components.azure.network.security_rules import NODES
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.tags import Tags
from hpc_components.catalog.mounts import check_mount
from hpc_components.component import Component
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

FILES_MOUNT_OPTIONS = "nfsvers=4.1,sec=sys,nconnect=4,hard,timeo=600,retrans=2,noresvport,_netdev"
"""Mount options for Azure Files. Source: Azure Files documentation, "NFS file shares" (NFS 4.1 only), "Improve NFS
performance" (using more than four connections is not faster)."""

NETAPP_MOUNT_OPTIONS = "nfsvers=3,proto=tcp,nconnect=8,rsize=262144,wsize=262144,hard,timeo=600,_netdev"
"""Mount options for NetApp Files. NFS 3 is used because NFS 4.1 requires the server and all clients to share an id
domain; otherwise, `nobody` owns all files.

Source: Azure NetApp Files documentation, "Linux NFS mount options best practices"; cyclecloud-slurm-workspace.
"""

SHARE, POOL, VOLUME = "data", "pool", "data"
"""Names of the share, pool and volume. They can be fixed, because each file system has its own account."""

SNAPSHOT_HOUR = 2
"""Hour (UTC) of the daily snapshot."""

DEFAULT_RETENTION_DAYS = 7

GIB, TIB = 2**30, 2**40

_ARGUMENTS: Keys = {
    "service": Key(("kind",)),
    "size_gib": Key(("capacity_gib",)),
    "large": None,  # our components don't create large volumes
    "level": Key(("level",)),
    "snapshot_days": Key(("snapshot_days",)),
    "deleted_share_days": Key(("deleted_share_days",)),
    "subnet": Key(("network", "subnets", "netapp")),
    "subnet_prefix": None,  # an existing subnet's address range is not an argument
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class HomeFilesystemArgs:
    """Arguments of `HomeFilesystem`."""

    mount: str
    """Directory where every node mounts the file system."""
    kind: Service = "files"
    """`files` for Azure Files, which is fast enough for a hundred nodes but takes no snapshots, or `netapp` for
    NetApp Files, which takes daily snapshots."""
    capacity_gib: int
    """Capacity in GiB."""
    level: str | None = None
    """NetApp Files service level: `standard`, `premium` or `ultra`. The throughput depends on the level and the
    capacity. Default: premium. Only for `netapp`."""
    snapshot_days: int | None = None
    """Number of days for which daily snapshots are kept; 0 for no snapshots. Default: 7. Only for `netapp`."""
    deleted_share_days: int | None = None
    """Number of days for which a deleted share can be restored; 0 to make deletion final. Default: 7. Individual
    files can't be restored. Only for `files`."""
    group: Group
    """Resource group of the file system."""
    network: Network
    """Network that clients connect from. Azure Files grants access by network, not by user. If the network has a
    private DNS zone for `file`, the share gets a private endpoint. Otherwise, the share allows access from the nodes'
    subnets, which must have a service endpoint for `Microsoft.Storage`. NetApp Files requires a subnet named `netapp`
    that is delegated to `Microsoft.NetApp/volumes`."""
    retain: bool = True
    """Whether to protect the file system from deletion, and to keep it in Azure if it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        check_mount("HomeFilesystemArgs.mount", self.mount)
        if self.kind not in get_args(Service):
            known = " or ".join(get_args(Service))
            raise ValueError(f"HomeFilesystemArgs.kind: {self.kind!r} is unknown; use {known}")
        order = HomeOrder(
            service=self.kind,
            size_gib=self.capacity_gib,
            level=self.level,
            snapshot_days=self.snapshot_days or None,
            deleted_share_days=self.deleted_share_days or None,
            subnet="netapp" in self.network.subnets,
        )
        refuse_first(self, refusals(order), _ARGUMENTS)


class HomeFilesystem(Component[HomeFilesystemArgs]):
    """A file system that all nodes mount over NFS. It is encrypted at rest. The root user of each node also has root
    access to the file system.

    Azure Files recognizes at most 16 groups per user. NFS traffic to Azure Files is encrypted only between Azure
    datacenters.
    """

    file_system_id: pulumi.Output[str]
    """Id of the share or volume."""
    server: pulumi.Output[str]
    """Host name or address that clients use to mount the file system."""
    mount: FileSystemMount
    """Mount settings to pass to nodes."""

    def _make(self, name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:HomeFilesystem", name, {"kind": args.kind, "mount": args.mount}, opts)
        data = protected_options(self, opts, retain=args.retain)
        made = _make_share(name, args, opts, data) if args.kind == "files" else _make_volume(name, args, data)
        self.file_system_id, self.server, export = made
        self.mount = FileSystemMount(
            name=name,
            type="nfs",
            mount=args.mount,
            server=self.server,
            export=export,
            options=FILES_MOUNT_OPTIONS if args.kind == "files" else NETAPP_MOUNT_OPTIONS,
        )
        self.register_outputs({"fileSystemId": self.file_system_id, "server": self.server})


_Made = tuple[pulumi.Output[str], pulumi.Output[str], pulumi.Output[str]]
"""Id, server and exported path of the file system."""


def _make_share(
    name: str, args: HomeFilesystemArgs, said: pulumi.ResourceOptions | None, data: pulumi.ResourceOptions
) -> _Made:
    storage, child = azure_native.storage, pulumi.ResourceOptions(parent=data.parent)
    private = "file" in args.network.private_zones
    account = make_storage_account(
        name,
        group=args.group,
        kind=storage.Kind.FILE_STORAGE,
        sku=storage.SkuName.PREMIUM_LRS,
        https_only=False,  # NFS does not use HTTPS, so requiring HTTPS would lock out all clients
        public=not private,
        network_rules=None if private else _nodes_only(args.network),
        tags=args.tags,
        said=said,
        opts=data,
    )
    belongs = pulumi.ResourceOptions.merge(data, pulumi.ResourceOptions(deleted_with=account))
    days = args.deleted_share_days
    days = DEFAULT_RETENTION_DAYS if days is None else days
    storage.FileServiceProperties(
        f"{name}-service",
        resource_group_name=args.group.name,
        account_name=account.name,
        file_services_name="default",
        share_delete_retention_policy=storage.DeleteRetentionPolicyArgs(enabled=days > 0, days=days or None),
        opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(deleted_with=account)),
    )
    share = storage.FileShare(
        f"{name}-share",
        resource_group_name=args.group.name,
        account_name=account.name,
        share_name=SHARE,
        share_quota=args.capacity_gib,
        enabled_protocols=storage.EnabledProtocols.NFS,
        root_squash=storage.RootSquashType.NO_ROOT_SQUASH,  # root on the head node creates home directories
        opts=belongs,
    )
    make_private_endpoint(
        name, "file", target=account.id, group=args.group, network=args.network, tags=args.tags, opts=child
    )
    host = private_dns_zone("file").removeprefix("privatelink.")
    server = pulumi.Output.concat(account.name, ".", host)
    export = pulumi.Output.concat("/", account.name, "/", share.name)
    return share.id, server, export


def _nodes_only(network: Network) -> "azure_native.storage.NetworkRuleSetArgs":
    storage = azure_native.storage
    # drop duplicates: in an existing network, several kinds of nodes may share a subnet
    subnets = list({id(subnet): subnet for place in NODES if (subnet := network.subnets.get(place))}.values())
    return storage.NetworkRuleSetArgs(
        default_action=storage.DefaultAction.DENY,
        bypass=storage.Bypass.NONE,
        virtual_network_rules=[
            storage.VirtualNetworkRuleArgs(virtual_network_resource_id=subnet, action=storage.Action.ALLOW)
            for subnet in subnets
        ],
    )


def _make_volume(name: str, args: HomeFilesystemArgs, data: pulumi.ResourceOptions) -> _Made:
    netapp, group = azure_native.netapp, args.group
    account = netapp.Account(
        f"{name}-account",
        resource_group_name=group.name,
        location=group.location,
        tags=args.tags.for_resource(f"{name}-account"),
        opts=data,
    )
    level = (args.level or "premium").capitalize()
    pool = netapp.CapacityPool(
        f"{name}-pool",
        resource_group_name=group.name,
        location=group.location,
        account_name=account.name,
        pool_name=POOL,
        service_level=level,
        qos_type=netapp.QosType.AUTO,
        size=netapp_pool_tib(args.capacity_gib) * TIB,
        tags=args.tags.for_resource(f"{name}-pool"),
        opts=data,
    )
    volume = netapp.CapacityPoolVolume(
        f"{name}-volume",
        resource_group_name=group.name,
        location=group.location,
        account_name=account.name,
        pool_name=POOL,  # not `pool.name`: Azure returns the name as `<account>/<pool>`, but doesn't accept that form
        volume_name=VOLUME,
        creation_token=name,
        service_level=level,
        usage_threshold=args.capacity_gib * GIB,
        subnet_id=args.network.subnets["netapp"],
        network_features=netapp.NetworkFeatures.STANDARD,  # Basic supports neither security groups nor many clients
        protocol_types=["NFSv3"],
        security_style=netapp.SecurityStyle.UNIX,
        unix_permissions="0755",
        export_policy=_export_policy(args.network.cidr),
        data_protection=_daily_snapshots(name, args, account, data),
        tags=args.tags.for_resource(f"{name}-volume"),
        opts=pulumi.ResourceOptions.merge(data, pulumi.ResourceOptions(depends_on=[pool])),
    )
    return volume.id, volume.mount_targets[0].ip_address, pulumi.Output.concat("/", volume.creation_token)


def _export_policy(clients: str) -> "azure_native.netapp.VolumePropertiesExportPolicyArgs":
    """Return an export policy that allows all clients in the network to mount the volume, with root access so that
    home directories can be created.
    """
    netapp = azure_native.netapp
    rule = netapp.ExportPolicyRuleArgs(
        rule_index=1,
        allowed_clients=clients,
        nfsv3=True,
        nfsv41=False,
        cifs=False,
        unix_read_only=False,
        unix_read_write=True,
        has_root_access=True,
        chown_mode=netapp.ChownMode.RESTRICTED,
    )
    return netapp.VolumePropertiesExportPolicyArgs(rules=[rule])


def _daily_snapshots(
    name: str, args: HomeFilesystemArgs, account: "azure_native.netapp.Account", opts: pulumi.ResourceOptions
) -> "azure_native.netapp.VolumePropertiesDataProtectionArgs | None":
    days = DEFAULT_RETENTION_DAYS if args.snapshot_days is None else args.snapshot_days
    if not days:
        return None
    netapp = azure_native.netapp
    policy = netapp.SnapshotPolicy(
        f"{name}-snapshots",
        resource_group_name=args.group.name,
        location=args.group.location,
        account_name=account.name,
        enabled=True,
        daily_schedule=netapp.DailyScheduleArgs(hour=SNAPSHOT_HOUR, minute=0, snapshots_to_keep=days),
        tags=args.tags.for_resource(f"{name}-snapshots"),
        opts=opts,
    )
    snapshots = netapp.VolumeSnapshotPropertiesArgs(snapshot_policy_id=policy.id)
    return netapp.VolumePropertiesDataProtectionArgs(snapshot=snapshots)
