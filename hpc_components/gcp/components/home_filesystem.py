"""A file system for homes and software over NFS, Filestore."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog.mounts import check_mount
from hpc_components.catalog.refusal import Refusal
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.filestore import (
    FilestoreOrder,
    filestore_refusals,
    has_protection,
    sizes_are_sure,
)
from hpc_components.gcp.catalog.zones import is_zone, region_of
from hpc_components.gcp.components.key_argument import check_key
from hpc_components.gcp.ports import Network
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options

__all__ = ["NFS_MOUNT_OPTIONS", "HomeFilesystem", "HomeFilesystemArgs"]

Tier = Literal["basic_hdd", "basic_ssd", "zonal", "regional"]

NFS_MOUNT_OPTIONS = "nfsvers=3,proto=tcp,hard,timeo=600,retrans=3,resvport,_netdev"
"""Source: Filestore documentation, "Mount file shares on clients"; NFS 3, which all tiers have."""

SHARE = "vol1"
"""Name of the share, as Google's console proposes it."""

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="60m", delete="60m")


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
    """Filestore's tier: `basic_hdd`, `basic_ssd`, `zonal` or `regional`, which survives the loss of a zone."""
    location: str
    """Its zone; the region where the tier is regional."""
    network: Network
    """Where its clients are. It needs a connection for private services access."""
    kms_key: Input[str] | None = None
    """Id of a Cloud KMS key of your own that encrypts it, instead of Google's; zonal and regional only."""
    retain: bool = True
    """Protect it, and leave it in the cloud when it leaves the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what Google Cloud would refuse."""
        check_mount(f"{_ARGS}.mount", self.mount)
        zonal = self.tier != "regional"
        for refusal in filestore_refusals(_order(self)):
            if refusal.field == "size_gib" and not sizes_are_sure(self.tier):
                continue
            field = "capacity_gib" if refusal.field == "size_gib" else refusal.field
            raise ValueError(f"{_ARGS}.{field}: {_refused(self, refusal)}")
        if zonal != is_zone(self.location):
            one = f"{self.location}-a" if zonal else self.location.rpartition("-")[0]
            raise ValueError(
                f"{_ARGS}.location: tier {self.tier} is in {'a zone' if zonal else 'all of a region'}, which"
                f" {self.location!r} is not; write one like {one}"
            )
        check_key(f"{_ARGS}.kms_key", self.kms_key, region_of(self.location) if zonal else self.location)


class HomeFilesystem(Component[HomeFilesystemArgs]):
    """A file system that all nodes mount by NFS. Encrypted at rest; root on a node is root on it."""

    file_system_id: pulumi.Output[str]
    """Id of the Filestore instance."""
    server: pulumi.Output[str]
    """Address that clients mount."""
    mount: FileSystemMount
    """How nodes mount it."""

    def _make(self, name: str, args: HomeFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:HomeFilesystem", name, {"tier": args.tier, "mount": args.mount}, opts)
        instance = _make_instance(name, args, protected_options(self, opts, retain=args.retain))
        self.file_system_id = instance.id
        # what is ordered of the networks is known before their addresses are; the id is not
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
    filestore = gcp.filestore
    # everybody in the network, as root too, since homes are made by root on the head node
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
        deletion_protection_enabled=args.retain if has_protection(args.tier) else None,
        kms_key_name=args.kms_key,
        labels=args.tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(depends_on=list(args.network.services), custom_timeouts=TIMEOUTS)
        ),
    )


_ARGS = "HomeFilesystemArgs"


def _order(args: HomeFilesystemArgs) -> FilestoreOrder:
    key = None if args.kms_key is None else "given"
    return FilestoreOrder(tier=args.tier, size_gib=args.capacity_gib, kms_key=key)


def _refused(args: HomeFilesystemArgs, refusal: Refusal) -> str:
    """What Google would refuse, and the remedy."""
    allowed = list(map(str, refusal.allowed))
    match refusal.field:
        case "tier":
            return f"{args.tier!r} is unknown; use {', '.join(allowed)}"
        case "size_gib":
            return f"Filestore does not sell {args.capacity_gib} GiB of {args.tier}; use {' or '.join(allowed)}"
        case _:
            return f"tier {args.tier} takes no key of your own; leave it out or use {' or '.join(allowed)}"
