from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.arm_ids import wrong_vault_url
from hpc_components.azure.components.zone_argument import number_of_zone
from hpc_components.azure.lustre.link import LustreLink, grant_roles, hsm_settings, make_job
from hpc_components.azure.lustre.offer import LustreOrder, lustre_tier, maintenance_window, refusals
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags
from hpc_components.catalog.mounts import check_mount
from hpc_components.component import Component
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

RootSquash = Literal["none", "root_only", "all"]

LUSTRE_MOUNT_OPTIONS = "noatime,flock,user_xattr,_netdev"
"""Mount options for Managed Lustre. `flock` enables file locks across all nodes, which MPI-IO and many applications
need.

Source: Azure Managed Lustre documentation, "Automatically mount clients"; cyclecloud-slurm-workspace (`user_xattr`).
"""

MOUNT_NAME = "lustrefs"
"""Mount name, which follows `@tcp:/` and is the same for all file systems. Source: see `LUSTRE_MOUNT_OPTIONS`."""

SQUASHED_ID = 65534

_ARGS = "LustreFilesystemArgs"

_ARGUMENTS: Keys = {
    "throughput": Key(("throughput",)),
    "size_tib": Key(("capacity_tib",)),
    "subnet_prefix": None,  # the subnet's address range is not an argument
    "new_subnet_prefix": None,
    "maintenance": Key(("maintenance",)),
    **{name: Key(("link", name)) for name in ("bucket", "log_bucket", "auto_import", "auto_export")},
}

TIMEOUTS = pulumi.CustomTimeouts(create="90m", update="60m", delete="60m")
"""Timeouts for Azure's operations. Creating a file system takes 10 to 30 minutes, and may take longer for a large one
with a link."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreEncryption:
    """A customer-managed key that encrypts a file system. The key can't be changed later."""

    key_url: Input[str]
    """URL of the key, `https://<vault>.vault.azure.net/keys/<name>/<version>`. The key must be a 2048-bit RSA key."""
    vault_id: Input[str]
    """Id of the Key Vault that contains the key. The vault must have purge protection, and be in the same region and
    subscription as the file system."""
    identity_id: Input[str]
    """Id of a user-assigned identity that may use the key."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreFilesystemArgs:
    """Arguments of `LustreFilesystem`. The size, zone, link and key can't be changed later."""

    mount: str
    """Directory where every node mounts the file system."""
    capacity_tib: float
    """Capacity in TiB. It must be one of the sizes available at the given throughput."""
    throughput: int = 250
    """Throughput in MB/s per TiB: 40, 125, 250 or 500."""
    zone: str
    """Zone, such as `eastus-1`, or the region's name if the region has no zones. Access from nodes in other zones has
    higher latency."""
    maintenance: str = "Sunday 03:00"
    """Day and time (UTC) at which the weekly 30-minute maintenance window begins."""
    link: LustreLink | None = None
    """Blob container whose objects appear as files."""
    root_squash: RootSquash = "none"
    """Users to squash: only root (`root_only`), all users (`all`), or no users (`none`)."""
    trusted: tuple[str, ...] = ()
    """Addresses of nodes, such as the head node, that `root_squash` does not affect."""
    encryption: LustreEncryption | None = None
    """Customer-managed key that encrypts the file system; default: a key managed by Azure."""
    group: Group
    """Resource group of the file system."""
    subnet_id: Input[str]
    """Id of a subnet that is not used for anything else."""
    retain: bool = True
    """Whether to protect the file system from deletion, and to keep it in Azure if it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        check_mount(f"{_ARGS}.mount", self.mount)
        number_of_zone(f"{_ARGS}.zone", self.zone, self.group.location)
        refuse_first(self, refusals(_order(self)), _ARGUMENTS)
        if self.root_squash not in get_args(RootSquash):
            raise ValueError(
                f"{_ARGS}.root_squash: {self.root_squash!r} is unknown; use one of: {', '.join(get_args(RootSquash))}"
            )
        if self.trusted and self.root_squash == "none":
            raise ValueError(
                f"{_ARGS}.trusted: without root_squash, all nodes are trusted; leave trusted out, or use "
                "root_squash='root_only'"
            )
        if self.link is not None:
            self.link.check_account(f"{_ARGS}.link")
        key = self.encryption.key_url if self.encryption else None
        if isinstance(key, str) and (wrong := wrong_vault_url(key, "keys")):
            raise ValueError(f"{_ARGS}.encryption.key_url: {key!r}: {wrong[0]}; {wrong[1]}")

    @property
    def zone_number(self) -> str | None:
        """Zone number in Azure Resource Manager, or None if only the region is given."""
        return number_of_zone(f"{_ARGS}.zone", self.zone, self.group.location)


class LustreFilesystem(Component[LustreFilesystemArgs]):
    """A Managed Lustre file system, optionally linked to a Blob container."""

    file_system_id: pulumi.Output[str]
    """Id of the file system."""
    server: pulumi.Output[str]
    """Address of the management server (MGS), which clients use to mount the file system."""
    mount: FileSystemMount
    """Mount settings to pass to nodes."""

    def _make(self, name: str, args: LustreFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"capacityTib": args.capacity_tib, "throughput": args.throughput, "mount": args.mount}
        self._register("hpc:azure:LustreFilesystem", name, summary, opts)
        # deleting a retained file system's roles would stop its imports and exports
        roles = pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain or None)
        granted = grant_roles(name, args.link, roles) if args.link else []
        file_system = _make_file_system(name, args, protected_options(self, opts, retain=args.retain), granted)
        if args.link is not None:
            job = pulumi.ResourceOptions(parent=self, deleted_with=file_system)
            make_job(name, args.link, file_system=file_system, group=args.group, tags=args.tags, opts=job)
        self.file_system_id = file_system.id
        self.server = file_system.client_info.mgs_address
        self.mount = FileSystemMount(
            name=name,
            type="lustre",
            mount=args.mount,
            server=self.server,
            export=MOUNT_NAME,
            options=LUSTRE_MOUNT_OPTIONS,
        )
        self.register_outputs({"fileSystemId": self.file_system_id, "server": self.server})


def _make_file_system(
    name: str, args: LustreFilesystemArgs, opts: pulumi.ResourceOptions, after: list[pulumi.Resource]
) -> "azure_native.storagecache.AmlFilesystem":
    storagecache = azure_native.storagecache
    window, tier = maintenance_window(args.maintenance), lustre_tier(args.throughput)
    assert window is not None, "validated when the arguments were created"
    assert tier is not None, "validated when the arguments were created"
    return storagecache.AmlFilesystem(
        name,
        resource_group_name=args.group.name,
        location=args.group.location,
        zones=[args.zone_number] if args.zone_number else None,
        sku=storagecache.SkuNameArgs(name=tier.sku),
        storage_capacity_ti_b=args.capacity_tib,
        filesystem_subnet=args.subnet_id,
        maintenance_window=storagecache.AmlFilesystemMaintenanceWindowArgs(
            day_of_week=storagecache.MaintenanceDayOfWeekType(window.day), time_of_day_utc=window.time_utc
        ),
        hsm=hsm_settings(args.link) if args.link else None,
        root_squash_settings=_root_squash(args),
        encryption_settings=_encryption(args.encryption) if args.encryption else None,
        identity=storagecache.AmlFilesystemIdentityArgs(
            type=storagecache.AmlFilesystemIdentityType.USER_ASSIGNED,
            user_assigned_identities=[args.encryption.identity_id],
        )
        if args.encryption
        else None,
        tags=args.tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=after, custom_timeouts=TIMEOUTS)),
    )


def _root_squash(
    args: LustreFilesystemArgs,
) -> "azure_native.storagecache.AmlFilesystemRootSquashSettingsArgs | None":
    storagecache = azure_native.storagecache
    modes = storagecache.AmlFilesystemSquashMode
    if args.root_squash == "none":
        return None
    return storagecache.AmlFilesystemRootSquashSettingsArgs(
        mode=modes.ROOT_ONLY if args.root_squash == "root_only" else modes.ALL,
        squash_uid=SQUASHED_ID,
        squash_gid=SQUASHED_ID,
        no_squash_nid_lists=";".join(f"{address}@tcp" for address in args.trusted) or None,
    )


def _encryption(key: LustreEncryption) -> "azure_native.storagecache.AmlFilesystemEncryptionSettingsArgs":
    storagecache = azure_native.storagecache
    vault = storagecache.KeyVaultKeyReferenceSourceVaultArgs(id=key.vault_id)
    reference = storagecache.KeyVaultKeyReferenceArgs(key_url=key.key_url, source_vault=vault)
    return storagecache.AmlFilesystemEncryptionSettingsArgs(key_encryption_key=reference)


def _order(args: LustreFilesystemArgs) -> LustreOrder:
    link = args.link
    return LustreOrder(
        throughput=args.throughput,
        size_tib=args.capacity_tib,
        maintenance=args.maintenance,
        bucket=link.bucket if link else None,
        log_bucket=link.log_bucket if link else None,
        auto_import=link.auto_import if link else (),
        auto_export=link.auto_export if link else (),
    )
