"""Small frozen dataclasses that AWS components pass to one another.

None of them is a resource, so you can also create them from existing ids: a `Network` written by hand works just like
one from a `Vpc`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.identity_check import check_not_shared

__all__ = [
    "BucketAccess", "BucketRef", "ConfigStore", "FleetRef", "Identities", "Identity", "Network", "SecurityGroupIds",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecurityGroupIds:
    """Ids of the security groups for each role."""

    head: tuple[Input[str], ...]
    """Security groups of the head node."""
    login: tuple[Input[str], ...]
    """Security groups of the login nodes."""
    compute: tuple[Input[str], ...]
    """Security groups of the compute nodes. With EFA, one of them must allow all traffic to and from itself."""
    storage: tuple[Input[str], ...]
    """Security groups of the file systems."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A cluster's network. Subnets are keyed by zone id, such as `use2-az2`."""

    id: Input[str]
    """VPC id."""
    cidr: str
    """Address range in CIDR notation."""
    private_subnets: Mapping[str, Input[str]]
    """Maps zone ids to ids of private subnets, whose nodes have no public address."""
    public_subnets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Maps zone ids to ids of public subnets, which have a route to the internet."""
    security_groups: SecurityGroupIds
    """Security groups of the nodes and file systems in the network."""
    zone_names: Mapping[str, Input[str]] = field(default_factory=dict)
    """Maps zone ids to the account's own names for these zones, such as `us-east-2b`. These names are needed to
    create block volumes."""
    route_tables: tuple[Input[str], ...] = ()
    """Ids of the route tables of all subnets."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A data bucket, or several buckets that data is spread across."""

    name: str
    """Name of the bucket in the description."""
    buckets: tuple[Input[str], ...]
    """Names of the buckets in S3."""
    arns: tuple[Input[str], ...]
    """ARNs of the buckets, or patterns that match several of them."""
    express: bool = False
    """Whether these are directory buckets, which clients can access only through sessions."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """Bucket permissions for the users and jobs on a group of nodes."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that users and jobs may only read."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which users and jobs may read, write and delete objects."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A role, and the instance profile that lets machines use it."""

    instance_profile: Input[str] | None = None
    """Name of the instance profile, or None if the role is only lent to users and jobs."""
    role_arn: Input[str]
    """ARN of the role."""
    role_pattern: str | None = None
    """Pattern that policies use to refer to this role and similar ones, or None if policies use the ARN."""
    role_name: Input[str] | None = None
    """Name of the role, used to attach policies, or None if no policies need to be attached."""
    launch_denial: Input[str] | None = None
    """ARN of a policy that denies launches, which the account's budget may attach to the role. None if the role has
    no such policy."""

    @property
    def in_policies(self) -> Input[str]:
        """The pattern or ARN that policies use to refer to the role."""
        return self.role_arn if self.role_pattern is None else self.role_pattern


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """A machine's roles: its own, and one that it lends to users and jobs."""

    own: Identity
    """Role of the node itself. If the role comes from an existing instance profile, the queue's jobs can use it as
    well."""
    lent: Identity | None = None
    """Role that gives access only to buckets. The node assumes this role and lends it to users and jobs."""
    organizations: tuple[str, ...] = ()
    """Patterns of the roles of organizations, which the node assumes and lends to their people."""

    def __post_init__(self) -> None:
        """Raise ValueError if the role `own` has no instance profile, or if `own` and `lent` are the same role."""
        if self.own.instance_profile is None:
            raise ValueError(
                "Identities.own: the role has no instance profile, so machines can't use it; set instance_profile"
            )
        check_not_shared("Identities.lent", self.own.role_arn, [self.lent.role_arn] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node needs to know about a fleet to launch its nodes."""

    launch_templates: Mapping[str, Input[str]]
    """Maps `<machine>/<zone id>` to launch template ids. Each template specifies its subnet."""
    purchase: str
    """Purchase option: `on_demand`, `spot`, `reservation` or `capacity_block`."""
    identities: Identities
    """Roles of the fleet's nodes. The head node passes the `own` role to these nodes. Neither role may be the head
    node's own role."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The bucket from which nodes fetch their configuration."""

    bucket: Input[str]
    """Bucket name."""
    arn: Input[str]
    """Bucket ARN."""
    publishes: bool = False
    """Whether the head node may publish files for all nodes in the bucket, under `published/`."""
