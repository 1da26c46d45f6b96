from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog.mounts import check_mount
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.zones import is_zone, region_of
from hpc_components.gcp.components.key_argument import check_key
from hpc_components.gcp.lustre.offer import LustreOrder, refusals, tiers
from hpc_components.gcp.lustre.transfers import ask_permissions, bucket_of, let_agent_in
from hpc_components.gcp.ports import Identity, Network
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

RootSquash = Literal["none", "root_only"]

LUSTRE_MOUNT_OPTIONS = "noatime,flock,user_xattr,_netdev"
"""Mount options. `flock` provides locks across all nodes, which MPI-IO and many applications need.

Source: mount.lustre(8); Managed Lustre documentation, "Mount an instance" (`_netdev`).
"""

MOUNT_NAME = "lustre"
"""Name of the file system, which follows `@tcp:/` in the mount point. It can have at most eight letters and
digits."""

NOBODY = 65534
"""User and group id that root is mapped to on clients with root squash."""

_ARGS = "LustreFilesystemArgs"

_ARGUMENTS: Keys = {"throughput": Key(("throughput",)), "size_gib": Key(("capacity_gib",))}

TIMEOUTS = pulumi.CustomTimeouts(create="90m", update="90m", delete="60m")
"""Timeouts for a file system, which can take an hour to create."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreFilesystemArgs:
    """Arguments of `LustreFilesystem`. Only the capacity can be changed later, and it can only be increased."""

    project: str
    """Id of the project."""
    mount: str
    """Mount directory on every node."""
    capacity_gib: int
    """Capacity in GiB. It must be a multiple of a step that depends on the throughput."""
    throughput: int = 1000
    """Throughput in MB/s per TiB: 125, 250, 500 or 1000."""
    zone: str
    """Zone of the file system. Latency is higher from nodes in other zones."""
    network: Network
    """The clients' network, which must have a connection for private services access."""
    import_from: str | None = None
    """`gs://bucket[/prefix]` whose objects are imported as files. Objects are imported only once."""
    export_to: str | None = None
    """`gs://bucket[/prefix]` to which new and changed files are copied."""
    copied_by: Identity | None = None
    """The head node's service account, which requests imports and exports. Google's own agent performs them."""
    root_squash: RootSquash = "none"
    """With `root_only`, root on a client is mapped to an unprivileged user. With `none`, root keeps its
    privileges."""
    trusted: tuple[str, ...] = ()
    """Addresses of nodes that are exempt from `root_squash`, such as the head node."""
    kms_key: Input[str] | None = None
    """Id of your own Cloud KMS key for encrypting the file system; default: Google's key. Managed Lustre's service
    agent must be allowed to use your key."""
    retain: bool = True
    """Whether to protect the file system from deletion, and to keep it in the cloud when it is removed from the
    program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        check_mount(f"{_ARGS}.mount", self.mount)
        known = [tier.throughput for tier in tiers()]
        if self.throughput not in known:
            raise ValueError(
                f"{_ARGS}.throughput: no tier provides {self.throughput} MB/s per TiB; use one of "
                f"{', '.join(map(str, known))}"
            )
        order = LustreOrder(throughput=self.throughput, size_gib=self.capacity_gib)
        refuse_first(self, refusals(order), _ARGUMENTS)
        if not is_zone(self.zone):
            raise ValueError(f"{_ARGS}.zone: {self.zone!r} is not a zone; use one such as us-central1-a")
        check_key(f"{_ARGS}.kms_key", self.kms_key, region_of(self.zone))
        if self.root_squash not in get_args(RootSquash):
            raise ValueError(
                f"{_ARGS}.root_squash: {self.root_squash!r} is not a valid value; use one of "
                f"{', '.join(get_args(RootSquash))}"
            )
        if self.trusted and self.root_squash == "none":
            raise ValueError(
                f"{_ARGS}.trusted: without root_squash, all nodes are trusted; leave trusted out, or use "
                "root_squash='root_only'"
            )
        for key in ("import_from", "export_to"):
            if (url := getattr(self, key)) is not None:
                bucket_of(f"{_ARGS}.{key}", url)

    @property
    def imports(self) -> str | None:
        """Name of the bucket to import from, if any."""
        return bucket_of(_ARGS, self.import_from) if self.import_from else None

    @property
    def exports(self) -> str | None:
        """Name of the bucket to export to, if any."""
        return bucket_of(_ARGS, self.export_to) if self.export_to else None


class LustreFilesystem(Component[LustreFilesystemArgs]):
    """A Managed Lustre file system, with permissions for transfers to and from buckets."""

    instance_id: pulumi.Output[str]
    """Id of the instance, in the form `projects/<project>/locations/<zone>/instances/<name>`."""
    server: pulumi.Output[str]
    """Address of the management server (MGS), which clients use to mount the file system."""
    mount: FileSystemMount
    """How nodes mount the file system."""

    def _make(self, name: str, args: LustreFilesystemArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"capacityGib": args.capacity_gib, "throughput": args.throughput, "mount": args.mount}
        self._register("hpc:gcp:LustreFilesystem", name, summary, opts)
        instance = _make_instance(name, args, protected_options(self, opts, retain=args.retain))
        if args.imports or args.exports:
            _make_permissions(name, args, self)
        self.instance_id = instance.id
        self.server = instance.mount_point.apply(server_in)
        self.mount = FileSystemMount(
            name=name,
            type="lustre",
            mount=args.mount,
            server=self.server,
            export=MOUNT_NAME,
            options=LUSTRE_MOUNT_OPTIONS,
        )
        self.register_outputs({"instanceId": self.instance_id, "server": self.server})


def server_in(mount_point: str) -> str:
    """Return the address in a mount point such as `10.1.2.3@tcp:/lustre`."""
    return mount_point.partition("@")[0]


def _make_instance(name: str, args: LustreFilesystemArgs, opts: pulumi.ResourceOptions) -> "gcp.lustre.Instance":
    also = pulumi.ResourceOptions(
        depends_on=list(args.network.services), custom_timeouts=TIMEOUTS, delete_before_replace=True
    )
    return gcp.lustre.Instance(
        name,
        project=args.project,
        instance_id=name,
        location=args.zone,
        network=args.network.id,
        filesystem=MOUNT_NAME,
        capacity_gib=str(args.capacity_gib),
        per_unit_storage_throughput=str(args.throughput),
        access_rules_options=_access_rules(args),
        kms_key=args.kms_key,
        labels=args.tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(opts, also),
    )


def _make_permissions(name: str, args: LustreFilesystemArgs, parent: pulumi.Resource) -> None:
    child = pulumi.ResourceOptions(parent=parent)
    let_agent_in(name, project=args.project, reads=args.imports, writes=args.exports, opts=child)
    if args.copied_by is not None:
        ask_permissions(name, args.copied_by, project=args.project, opts=child)


def _access_rules(args: LustreFilesystemArgs) -> "gcp.lustre.InstanceAccessRulesOptionsArgs | None":
    if args.root_squash == "none":
        return None
    trusted = gcp.lustre.InstanceAccessRulesOptionsAccessRuleArgs(
        name="trusted", ip_address_ranges=list(args.trusted), squash_mode="NO_SQUASH"
    )
    return gcp.lustre.InstanceAccessRulesOptionsArgs(
        default_squash_mode="ROOT_SQUASH",
        default_squash_uid=NOBODY,
        default_squash_gid=NOBODY,
        access_rules=[trusted] if args.trusted else None,
    )
