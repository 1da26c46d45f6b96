"""A parallel file system, Managed Lustre."""

from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi
import pulumi_gcp as gcp
from pulumi import Input

from hpc_components.catalog.mounts import check_mount
from hpc_components.catalog.refusal import Refusal
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.lustre import LustreOrder, lustre_refusals, lustre_tier
from hpc_components.gcp.catalog.zones import is_zone, region_of
from hpc_components.gcp.components.key_argument import check_key
from hpc_components.gcp.components.lustre_link import ask_permissions, bucket_of, let_agent_in
from hpc_components.gcp.ports import Identity, Network
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.resource_options import protected_options

RootSquash = Literal["none", "root_only"]

LUSTRE_MOUNT_OPTIONS = "noatime,flock,user_xattr,_netdev"
"""`flock` gives locks that hold on all nodes, which MPI-IO and many applications need.

Source: mount.lustre(8); Managed Lustre documentation, "Mount an instance" (`_netdev`).
"""

MOUNT_NAME = "lustre"
"""What follows `@tcp:/`: eight letters and digits at most."""

NOBODY = 65534
"""The user and group who squashed users become."""

TIMEOUTS = pulumi.CustomTimeouts(create="90m", update="90m", delete="60m")
"""Google takes up to an hour for a file system."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreFilesystemArgs:
    """Arguments of `LustreFilesystem`. Only the capacity can be changed, and only to more."""

    project: str
    """Id of the project."""
    mount: str
    """Mount directory on every node."""
    capacity_gib: int
    """Capacity in GiB, a step of its throughput."""
    throughput: int = 1000
    """MB/s per TiB: 125, 250, 500 or 1000."""
    zone: str
    """Its zone. Nodes in other zones have a longer way."""
    network: Network
    """Where its clients are. It needs a connection for private services access."""
    import_from: str | None = None
    """`gs://bucket[/prefix]` whose objects become files, once."""
    export_to: str | None = None
    """`gs://bucket[/prefix]` to which new and changed files are copied."""
    copied_by: Identity | None = None
    """The service account that asks Google for these copies, the head node's. Google's own agent makes them."""
    root_squash: RootSquash = "none"
    """Whose users become nobody: root's (`root_only`), nobody's (`none`)."""
    trusted: tuple[str, ...] = ()
    """Addresses of nodes whose root stays root, such as the head node's; for `root_squash`."""
    kms_key: Input[str] | None = None
    """Id of a Cloud KMS key of your own that encrypts it, instead of Google's. The service agent of Managed Lustre
    must be allowed to use it."""
    retain: bool = True
    """Protect it, and leave it in the cloud when it leaves the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what Google Cloud would refuse."""
        check_mount(f"{_ARGS}.mount", self.mount)
        for refusal in lustre_refusals(LustreOrder(throughput=self.throughput, size_gib=self.capacity_gib)):
            if refusal.field == "size_gib" and _is_unsure(self, refusal):
                continue
            field = "capacity_gib" if refusal.field == "size_gib" else refusal.field
            raise ValueError(f"{_ARGS}.{field}: {_refused(self, refusal)}")
        if not is_zone(self.zone):
            raise ValueError(f"{_ARGS}.zone: {self.zone!r} is no zone; write one like us-central1-a")
        check_key(f"{_ARGS}.kms_key", self.kms_key, region_of(self.zone))
        if self.root_squash not in get_args(RootSquash):
            raise ValueError(
                f"{_ARGS}.root_squash: {self.root_squash!r} is unknown; use {', '.join(get_args(RootSquash))}"
            )
        if self.trusted and self.root_squash == "none":
            raise ValueError(f"{_ARGS}.trusted: everybody is trusted; leave it out or use root_squash root_only")
        for key in ("import_from", "export_to"):
            if (url := getattr(self, key)) is not None:
                bucket_of(f"{_ARGS}.{key}", url)

    @property
    def imports(self) -> str | None:
        """The bucket that is copied from."""
        return bucket_of(_ARGS, self.import_from) if self.import_from else None

    @property
    def exports(self) -> str | None:
        """The bucket that is copied to."""
        return bucket_of(_ARGS, self.export_to) if self.export_to else None


class LustreFilesystem(Component[LustreFilesystemArgs]):
    """A Managed Lustre file system, and the permissions to copy between it and buckets."""

    instance_id: pulumi.Output[str]
    """Its id, `projects/<project>/locations/<zone>/instances/<name>`."""
    server: pulumi.Output[str]
    """Address that clients mount: that of the management server (MGS)."""
    mount: FileSystemMount
    """How nodes mount it."""

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
    """The address in `10.1.2.3@tcp:/lustre`."""
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


_ARGS = "LustreFilesystemArgs"


def _is_unsure(args: LustreFilesystemArgs, refusal: Refusal) -> bool:
    """Whether what is refused is more than a tier's largest capacity, of which Google says different numbers."""
    tier = lustre_tier(args.throughput)
    return tier is not None and "max_gib" in tier.unsure and tuple(refusal.allowed) == (tier.max_gib,)


def _refused(args: LustreFilesystemArgs, refusal: Refusal) -> str:
    """What Google would refuse, and the remedy."""
    allowed = list(map(str, refusal.allowed))
    if refusal.field == "throughput":
        return f"Google has no tier of {args.throughput} MB/s per TiB; use {', '.join(allowed)}"
    return (
        f"Google does not sell {args.capacity_gib} GiB at {args.throughput} MB/s per TiB; use {' or '.join(allowed)}"
    )
