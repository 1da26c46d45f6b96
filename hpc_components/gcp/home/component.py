from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog.mounts import check_mount
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.zones import is_zone, region_of
from hpc_components.gcp.components.key_argument import check_key
from hpc_components.gcp.home.offer import HomeOrder, Tier, refusals, tier_named
from hpc_components.gcp.ports import Network
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

NFS_MOUNT_OPTIONS = "nfsvers=3,proto=tcp,hard,timeo=600,retrans=3,resvport,_netdev"
"""Mount options. All tiers support NFS 3. Source: Filestore documentation, "Mount file shares on clients"."""

SHARE = "vol1"
"""Share name, which is also the default in the Google Cloud console."""

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="60m", delete="60m")

_ARGUMENTS: Keys = {
    "tier": Key(("tier",)),
    "size_gib": Key(("capacity_gib",)),
    "zonal": Key(("location",)),
    "kms_key": Key(("kms_key",)),
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class HomeFilesystemArgs:
    """Arguments of `HomeFilesystem`."""

    project: str
    """Id of the project."""
    mount: str
    """Mount directory on every node."""
    capacity_gib: int
    """Capacity in GiB."""
    tier: Tier = "zonal"
    """Filestore tier: `basic_hdd`, `basic_ssd`, `zonal`, or `regional`, which survives the loss of a zone."""
    location: str
    """Zone of the instance, or its region if the tier is `regional`."""
    network: Network
    """The clients' network, which must have a connection for private services access."""
    kms_key: Input[str] | None = None
    """Id of your own Cloud KMS key for encrypting the file system (`zonal` and `regional` only); default: Google's
    key."""
    retain: bool = True
    """Whether to protect the file system from deletion, and to keep it in the cloud when it is removed from the
    program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        check_mount("HomeFilesystemArgs.mount", self.mount)
        if self.tier not in get_args(Tier):
            known = ", ".join(get_args(Tier))
            raise ValueError(f"HomeFilesystemArgs.tier: {self.tier!r} is not a Filestore tier; use one of {known}")
        is_zonal = is_zone(self.location)
        region = region_of(self.location) if is_zonal else self.location
        order = HomeOrder(
            tier=self.tier, size_gib=self.capacity_gib, zonal=is_zonal, kms_key=self.kms_key is not None
        )
        refuse_first(self, refusals(order), {**_ARGUMENTS, "zonal": Key(("location",), lambda _: region)})
        check_key("HomeFilesystemArgs.kms_key", self.kms_key, region)


class HomeFilesystem(Component[HomeFilesystemArgs]):
    """A file system that all nodes mount over NFS. It is encrypted at rest. The root user on a node also has root
    access to the file system.
    """

    file_system_id: pulumi.Output[str]
    """Id of the Filestore instance."""
    server: pulumi.Output[str]
    """Address that clients use to mount the file system."""
    mount: FileSystemMount
    """How nodes mount the file system."""

    def _make(self, name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:HomeFilesystem", name, {"tier": args.tier, "mount": args.mount}, opts)
        instance = _make_instance(name, args, protected_options(self, opts, retain=args.retain))
        self.file_system_id = instance.id
        # wait for the id: in previews, the requested networks don't have addresses yet
        self.server = instance.id.apply(lambda _: instance.networks).apply(_address)
        self.mount = FileSystemMount(
            name=name,
            type="nfs",
            mount=args.mount,
            server=self.server,
            export=f"/{SHARE}",
            options=NFS_MOUNT_OPTIONS,
        )
        self.register_outputs({"fileSystemId": self.file_system_id, "server": self.server})


def _address(networks: "Sequence[gcp.filestore.outputs.InstanceNetwork]") -> str:
    return next(iter(networks[0].ip_addresses or ()), "")


def _make_instance(name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions) -> "gcp.filestore.Instance":
    filestore, tier = gcp.filestore, tier_named(args.tier)
    # give the whole network root access, because root on the head node creates the home directories
    clients = filestore.InstanceFileSharesNfsExportOptionArgs(
        ip_ranges=[args.network.cidr], access_mode="READ_WRITE", squash_mode="NO_ROOT_SQUASH"
    )
    return filestore.Instance(
        name,
        project=args.project,
        location=args.location,
        tier=args.tier.upper(),
        protocol="NFS_V3",
        file_shares=filestore.InstanceFileSharesArgs(
            name=SHARE, capacity_gb=args.capacity_gib, nfs_export_options=[clients]
        ),
        networks=[
            filestore.InstanceNetworkArgs(
                network=args.network.id,
                modes=["MODE_IPV4"],
                connect_mode="PRIVATE_SERVICE_ACCESS",
                reserved_ip_range=args.network.services_range,
            )
        ],
        deletion_protection_enabled=args.retain if tier and tier.protection else None,
        kms_key_name=args.kms_key,
        labels=args.tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(depends_on=list(args.network.services), custom_timeouts=TIMEOUTS)
        ),
    )
