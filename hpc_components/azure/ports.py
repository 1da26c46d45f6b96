"""Values that Azure components pass to each other: small, frozen, and easy to build from existing ids.

None of them is a resource, so components treat a `Network` from a `Vpc` like one that you construct yourself.
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
    """Id of the group, used as the scope of role assignments."""
    location: str
    """Azure's name for the region, such as `eastus`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A virtual network with its subnets."""

    id: Input[str]
    """Id of the network."""
    cidr: str
    """Address range of the network."""
    subnets: Mapping[Place, Input[str]]
    """Ids of the subnets, keyed by purpose."""
    security_groups: Mapping[Place, Input[str]] = field(default_factory=dict)
    """Ids of the network security groups for machine interfaces, keyed by purpose. Empty if the security groups are
    attached to the subnets."""
    private_zones: Mapping[Service, Input[str]] = field(default_factory=dict)
    """Ids of private DNS zones, keyed by service. Components that provide one of these services create a private
    endpoint in the subnet `endpoints`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A data bucket, which is a container in a storage account."""

    name: str
    """Name of the bucket in the description."""
    account: Input[str]
    """Name of the storage account."""
    container: Input[str]
    """Name of the container."""
    id: Input[str]
    """Id of the container, used as the scope of role assignments."""
    url: Input[str]
    """URL, `https://<account>.blob.core.windows.net/<container>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """Buckets that users and jobs on nodes can access."""

    read: tuple[BucketRef, ...] = ()
    """Buckets with read access."""
    write: tuple[BucketRef, ...] = ()
    """Buckets with read, write and delete access."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The containers that nodes fetch their configuration and names from."""

    address: Input[str]
    """Address in the form `<account>/<container>`, which nodes read from the tag `hpc:config`."""
    container_id: Input[str]
    """Id of the container with the configuration."""
    nodes_container_id: Input[str]
    """Id of the container `nodes` in the same account. For each scale set, the elastic daemon keeps a blob there that
    assigns nodes to machines."""
    publishes: bool = False
    """Whether the head node publishes files for all nodes in the container `nodes`, under `published/`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """A cluster secret."""

    vault: Input[str]
    """Name of the Key Vault that contains the secret."""
    name: str
    """Name of the secret: `munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Azure Resource Manager id, used as the scope of role assignments."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LogStore:
    """The endpoint to which nodes send the logs of failed boots."""

    address: Input[str]
    """URL to which nodes post the logs. Nodes read the URL from the tag `hpc:logs`."""
    rule_id: Input[str]
    """Id of the data collection rule, used as the scope of the role assignment that allows posting."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """Services that a cluster's nodes use at boot. Each node can use only the services that its identity allows."""

    config: ConfigStore
    """Containers that hold the configuration and the nodes' names."""
    munge: SecretRef
    """Munge key that Slurm's daemons use to authenticate each other. The head node creates the key."""
    jwt: SecretRef
    """Key that signs Slurm's tokens. The head node creates the key."""
    host_keys: SecretRef
    """SSH host keys shared by all login nodes. The first login node creates the keys."""
    logs: LogStore | None = None
    """Endpoint for the logs of failed boots."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A user-assigned managed identity."""

    id: Input[str]
    """Resource id, used to assign the identity to machines."""
    client_id: Input[str]
    """Client id. A machine with several identities uses it to request a token for this identity."""
    principal_id: Input[str] | None = None
    """Principal id, used to assign roles to the identity; None if the identity already has the roles it needs."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The identities of a machine: one for the node itself, and optionally one for its users and jobs."""

    own: Identity
    """The node's own identity."""
    lent: Identity | None = None
    """Identity for users and jobs on the node. It gives access to buckets and nothing else."""

    def __post_init__(self) -> None:
        """Raise ValueError if users and jobs would share the node's own identity, which has far more permissions."""
        check_not_shared("Identities.lent", self.own.id, [self.lent.id] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """The ids and settings that the head node needs to resize a fleet."""

    scale_sets: Mapping[str, Input[str]]
    """Ids of the scale sets, keyed by `<machine>/<zone>`."""
    availability_sets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Ids of the availability sets, keyed by `<machine>/<zone>`. Their machines are named after nodes."""
    flexible: bool = True
    """Whether any scale set uses flexible orchestration, which requires permission to create ordinary virtual
    machines."""
    purchase: str
    """Purchase option: `on_demand`, `spot` or `reservation`."""
    identities: tuple[Input[str], ...]
    """Ids of the identities that the head node must be allowed to assign to nodes."""
    subnets: tuple[Input[str], ...]
    """Ids of the subnets in which the head node must be allowed to launch nodes."""
    parts: tuple[Input[str], ...] = ()
    """Ids of other resources that launches use: security groups, placement groups, reservations, images and
    encryption sets. In this and the preceding fields, an id given as plain text may belong to any resource group; an
    id given as an Output is assumed to belong to the cluster's resource group."""
