"""The values that AWS components pass to one another: small, frozen, and easy to build from existing ids.

Nothing here is a resource. A `Network` made by our own `Vpc` and one written by hand are the same to every component.
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
    """Ids of the security groups of each role."""

    head: tuple[Input[str], ...]
    """Of the head node."""
    login: tuple[Input[str], ...]
    """Of the login nodes."""
    compute: tuple[Input[str], ...]
    """Of compute nodes. With EFA, one of them must allow all traffic to and from itself."""
    storage: tuple[Input[str], ...]
    """Of file systems."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A network to put things into. Subnets are keyed by zone id (`use2-az2`), never by position."""

    id: Input[str]
    """VPC id."""
    cidr: str
    """Address range of the network."""
    private_subnets: Mapping[str, Input[str]]
    """Ids of the subnets without a public address, by zone id."""
    public_subnets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Ids of the subnets with a route to the internet, by zone id."""
    security_groups: SecurityGroupIds
    """Security groups of the nodes and file systems in it."""
    zone_names: Mapping[str, Input[str]] = field(default_factory=dict)
    """Names of the zones (`us-east-2b`) by id, which differ between accounts. Block volumes want them."""
    route_tables: tuple[Input[str], ...] = ()
    """Ids of the route tables of all subnets."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A bucket for data, or several over which data is spread."""

    name: str
    """Name in the spec."""
    buckets: tuple[Input[str], ...]
    """Names in the cloud."""
    arns: tuple[Input[str], ...]
    """ARNs; a pattern may stand for several."""
    express: bool = False
    """Whether they are directory buckets, of which S3 gives whole sessions."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """What the people and jobs on some nodes may do with buckets."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that they may read only."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which they may read, write and delete."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A role, and the instance profile by which machines are given it."""

    instance_profile: Input[str] | None = None
    """Name of the instance profile. A role that is only lent needs none."""
    role_arn: Input[str]
    """ARN of the role."""
    role_pattern: str | None = None
    """How policies name the role, where one pattern stands for several. None: by its ARN."""
    role_name: Input[str] | None = None
    """Name of the role, to which policies are attached. None: it may do what it needs to, and gets no policy."""

    @property
    def in_policies(self) -> Input[str]:
        """How policies name the role."""
        return self.role_arn if self.role_pattern is None else self.role_pattern


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The roles of machines."""

    own: Identity
    """That of the node itself. A machine has one role: if it is not ours, the jobs of a queue have it too."""
    lent: Identity | None = None
    """One that may use buckets and nothing else. The node assumes it, and lends it to the people and jobs on it."""

    def __post_init__(self) -> None:
        """Refuse what no machine can be given, and to lend the node's own role, which may do far more."""
        if self.own.instance_profile is None:
            raise ValueError("Identities.own: it has no instance profile, by which machines get roles; name one")
        check_not_shared("Identities.lent", self.own.role_arn, [self.lent.role_arn] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node must know of a fleet to launch its nodes."""

    launch_templates: Mapping[str, Input[str]]
    """Launch template ids by `<machine>/<zone id>`: a template names its subnet."""
    purchase: str
    """`on_demand`, `spot`, `reservation` or `capacity_block`."""
    identities: Identities
    """Those of its nodes: the head node must be allowed to pass them their own role. Neither can be its own."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """Where nodes fetch their configuration from."""

    bucket: Input[str]
    """Bucket name."""
    arn: Input[str]
    """Bucket ARN."""
