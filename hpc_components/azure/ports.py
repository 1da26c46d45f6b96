"""Values that Azure components pass to each other: small, frozen, and easy to build from existing ids.

None of them is a resource. To every component, the `Network` of a `Vpc` is the same as one that you write by hand.
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
    """Id of the group, which is the scope of roles."""
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
    """Ids of the subnets by purpose."""
    security_groups: Mapping[Place, Input[str]] = field(default_factory=dict)
    """Ids of network security groups for the interfaces of machines, by purpose; empty if the subnets have them."""
    private_zones: Mapping[Service, Input[str]] = field(default_factory=dict)
    """Ids of private DNS zones by service. Components that offer such a service create a private endpoint in the
    subnet `endpoints`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A bucket for data: a container of a storage account."""

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
    """Access of the users and jobs on nodes to buckets."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that they may read."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which they may read, write and delete."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The containers from which nodes fetch their configuration and names."""

    address: Input[str]
    """Address `<account>/<container>`: the value of the tag `hpc:config`, which nodes read."""
    container_id: Input[str]
    """Id of the container with the configuration."""
    nodes_container_id: Input[str]
    """Id of the container `nodes` of the same account, where the elastic daemon keeps a blob per scale set that
    assigns nodes to machines."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """A secret of the cluster."""

    vault: Input[str]
    """Name of its Key Vault."""
    name: str
    """Name: `munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Id in Azure Resource Manager, which is the scope of roles."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LogStore:
    """The endpoint to which nodes send the log of a failed boot."""

    address: Input[str]
    """URL to which nodes post it: the value of the tag `hpc:logs`."""
    rule_id: Input[str]
    """Id of the data collection rule, which is the scope of the role for posting."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """Services that the nodes of a cluster use at boot, as far as their identities allow."""

    config: ConfigStore
    """Store of the configuration."""
    munge: SecretRef
    """Munge key, with which Slurm's daemons authenticate each other. The head node creates it."""
    jwt: SecretRef
    """Key that signs Slurm's tokens. The head node creates it."""
    host_keys: SecretRef
    """SSH host keys of all login nodes. The first login node creates them."""
    logs: LogStore | None = None
    """Endpoint for the logs of failed boots."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A user-assigned managed identity."""

    id: Input[str]
    """Id, with which it is assigned to machines."""
    client_id: Input[str]
    """Client id, with which a machine that has several identities requests a token."""
    principal_id: Input[str] | None = None
    """Principal id, to which roles are assigned; None if it already has the roles that it needs."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The identities of machines."""

    own: Identity
    """Identity of the node itself."""
    lent: Identity | None = None
    """Identity for the users and jobs on the node, which may use buckets and nothing else."""

    def __post_init__(self) -> None:
        """Refuse the node's own identity for users and jobs, because it has far more rights."""
        check_not_shared("Identities.lent", self.own.id, [self.lent.id] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node needs to resize a fleet."""

    scale_sets: Mapping[str, Input[str]]
    """Ids of the scale sets by `<machine>/<zone>`."""
    availability_sets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Ids of the availability sets by `<machine>/<zone>`; their machines have the names of nodes."""
    flexible: bool = True
    """Whether a scale set is Flexible, which requires the right to create ordinary virtual machines."""
    purchase: str
    """Purchase option: `on_demand`, `spot` or `reservation`."""
    identities: tuple[Input[str], ...]
    """Ids of the identities that the head node must be allowed to assign to nodes."""
    subnets: tuple[Input[str], ...]
    """Ids of the subnets in which the head node must be allowed to launch nodes."""
    parts: tuple[Input[str], ...] = ()
    """Ids of other resources that launches use: security groups, placement groups, reservations, images, encryption
    sets. Here and above, an id given as plain text may be in any resource group; an Output is assumed to be in the
    cluster's resource group."""
