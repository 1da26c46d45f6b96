"""Values that Azure components pass to each other: small, frozen, and easy to build from existing ids.

None of them is a resource. Components treat a `Network` from a `Vpc` like one that you construct yourself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.network.addresses import Place
from hpc_components.azure.network.model import Service
from hpc_components.identity_check import check_not_shared

__all__ = [
    "BucketAccess", "BucketRef", "ConfigStore", "FleetRef", "Group", "Identities", "Identity", "LogStore", "Network",
    "SecretRef", "Services",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
@checked_args
class Group:
    """A resource group."""

    name: Input[str]
    """Name of the group."""
    id: Input[str]
    """Id of the group, which is the scope of role assignments."""
    location: str
    """Azure's name for the region, such as `eastus`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A virtual network with its subnets."""

    id: Input[str]
    """Id of the network."""
    cidr: str
    """Address range."""
    subnets: Mapping[Place, Input[str]]
    """Ids of the subnets, keyed by purpose."""
    security_groups: Mapping[Place, Input[str]] = field(default_factory=dict)
    """Ids of network security groups for machines' interfaces, keyed by purpose; empty if the subnets have them."""
    private_zones: Mapping[Service, Input[str]] = field(default_factory=dict)
    """Ids of private DNS zones, keyed by service. Components that provide one of these services create a private
    endpoint in the subnet `endpoints`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A data bucket, which is a container in a storage account."""

    name: str
    """Name in the description."""
    account: Input[str]
    """Name of the storage account."""
    container: Input[str]
    """Name of the container."""
    id: Input[str]
    """Id of the container, which is the scope of roles."""
    url: Input[str]
    """URL, `https://<account>.blob.core.windows.net/<container>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """Buckets that users and jobs on nodes can access."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that they may read."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which they may read, write and delete objects."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The containers that nodes fetch their configuration and names from."""

    address: Input[str]
    """Address `<account>/<container>`, which nodes read from the tag `hpc:config`."""
    container_id: Input[str]
    """Id of the container with the configuration."""
    nodes_container_id: Input[str]
    """Id of the container `nodes` in the same account, where the elastic daemon keeps one blob per scale set, which
    assigns nodes to machines."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """A cluster secret."""

    vault: Input[str]
    """Name of its Key Vault."""
    name: str
    """Name of the secret: `munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Id in Azure Resource Manager, which is the scope of roles."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LogStore:
    """The endpoint to which nodes send the log of a failed boot."""

    address: Input[str]
    """URL to which nodes post the log, which they read from the tag `hpc:logs`."""
    rule_id: Input[str]
    """Id of the data collection rule, which is the scope of the role that allows posting."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """Services that a cluster's nodes use at boot, as far as their identities allow."""

    config: ConfigStore
    """Containers that hold the configuration and the nodes' names."""
    munge: SecretRef
    """Munge key, with which Slurm's daemons authenticate each other. The head node creates it."""
    jwt: SecretRef
    """Key that signs Slurm's tokens. The head node creates it."""
    host_keys: SecretRef
    """SSH host keys that all login nodes share. The first login node creates them."""
    logs: LogStore | None = None
    """Endpoint for the logs of failed boots."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A user-assigned managed identity."""

    id: Input[str]
    """Id, by which the identity is assigned to machines."""
    client_id: Input[str]
    """Client id, which a machine with several identities uses to request a token for this one."""
    principal_id: Input[str] | None = None
    """Principal id, to which roles are assigned; None if the identity already has the roles that it needs."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """Machines' identities."""

    own: Identity
    """The node's own identity."""
    lent: Identity | None = None
    """Identity for users and jobs on the node, which gives access to buckets and nothing else."""

    def __post_init__(self) -> None:
        """Raise ValueError if users and jobs would get the node's own identity, which has far more permissions."""
        check_not_shared("Identities.lent", self.own.id, [self.lent.id] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node needs to resize a fleet."""

    scale_sets: Mapping[str, Input[str]]
    """Ids of the scale sets, keyed by `<machine>/<zone>`."""
    availability_sets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Ids of the availability sets, keyed by `<machine>/<zone>`. Their machines are named after their nodes."""
    flexible: bool = True
    """Whether any scale set is Flexible, which requires permission to create ordinary virtual machines."""
    purchase: str
    """Purchase option: `on_demand`, `spot` or `reservation`."""
    identities: tuple[Input[str], ...]
    """Ids of the identities that the head node must be allowed to assign to nodes."""
    subnets: tuple[Input[str], ...]
    """Ids of the subnets in which the head node must be allowed to launch nodes."""
    parts: tuple[Input[str], ...] = ()
    """Ids of other resources that launches use: security groups, placement groups, reservations, images, encryption
    sets. Here and above, a resource whose id is plain text may be in any resource group; one whose id is an Output is
    assumed to be in the cluster's resource group."""
