"""The values that AWS components pass to one another: small, frozen, and easy to write from existing ids.

None of them is a resource. Components treat a `Network` from a `Vpc` and one written by hand alike.
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
    """Ids of the security groups by role."""

    head: tuple[Input[str], ...]
    """Groups of the head node."""
    login: tuple[Input[str], ...]
    """Groups of the login nodes."""
    compute: tuple[Input[str], ...]
    """Groups of compute nodes. With EFA, one of them must allow all traffic to and from itself."""
    storage: tuple[Input[str], ...]
    """Groups of file systems."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """The network of a cluster, with subnets by zone id (`use2-az2`)."""

    id: Input[str]
    """VPC id."""
    cidr: str
    """Address range of the network."""
    private_subnets: Mapping[str, Input[str]]
    """Ids of the subnets without a public address, by zone id."""
    public_subnets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Ids of the subnets with a route to the internet, by zone id."""
    security_groups: SecurityGroupIds
    """Security groups of the nodes and file systems in the network."""
    zone_names: Mapping[str, Input[str]] = field(default_factory=dict)
    """Names of the zones (`us-east-2b`) by id; they differ between accounts, and block volumes need them."""
    route_tables: tuple[Input[str], ...] = ()
    """Ids of the route tables of all subnets."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A bucket for data, or several buckets over which data is spread."""

    name: str
    """Name in the description."""
    buckets: tuple[Input[str], ...]
    """Names of the buckets in S3."""
    arns: tuple[Input[str], ...]
    """ARNs, or patterns that match several."""
    express: bool = False
    """Whether they are directory buckets, for which S3 opens sessions."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """What users and jobs on some nodes may do with buckets."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that they may only read."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which they may read, write and delete objects."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A role, and the instance profile through which machines get it."""

    instance_profile: Input[str] | None = None
    """Name of the instance profile; None for a role that is only lent."""
    role_arn: Input[str]
    """ARN of the role."""
    role_pattern: str | None = None
    """Pattern that policies use for this and similar roles; None to use the ARN."""
    role_name: Input[str] | None = None
    """Name of the role, for attaching policies; None if the role already has the permissions that it needs."""

    @property
    def in_policies(self) -> Input[str]:
        """The pattern or ARN with which policies name the role."""
        return self.role_arn if self.role_pattern is None else self.role_pattern


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The roles of machines."""

    own: Identity
    """Role of the node itself. If it is an existing one, the jobs of the queue use it too: a machine has one role."""
    lent: Identity | None = None
    """Role that allows the use of buckets and nothing else. The node assumes it, and lends it to its users and
    jobs."""

    def __post_init__(self) -> None:
        """Refuse an own role without an instance profile, and lending the node's own role."""
        if self.own.instance_profile is None:
            raise ValueError("Identities.own: it has no instance profile, through which machines get roles; name one")
        check_not_shared("Identities.lent", self.own.role_arn, [self.lent.role_arn] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node needs to know about a fleet to launch its nodes."""

    launch_templates: Mapping[str, Input[str]]
    """Ids of launch templates by `<machine>/<zone id>`; a template names its subnet."""
    purchase: str
    """`on_demand`, `spot`, `reservation` or `capacity_block`."""
    identities: Identities
    """Roles of its nodes, to which the head node passes their own role. Neither may be the head node's own role."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The bucket from which nodes fetch their configuration."""

    bucket: Input[str]
    """Bucket name."""
    arn: Input[str]
    """Bucket ARN."""
