"""The values that Azure components pass to one another: small, frozen, and easy to build from existing ids.

Nothing here is a resource. A `Network` made by our own `Vpc` and one written by hand are the same to every component.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.spec.addresses import Place
from hpc_components.azure.spec.network import Service
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
    """Its name."""
    id: Input[str]
    """Its id, the scope of roles."""
    location: str
    """Azure's name of the region: `eastus`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A virtual network to put things into."""

    id: Input[str]
    """Its id."""
    cidr: str
    """Address range."""
    subnets: Mapping[Place, Input[str]]
    """Ids of the subnets, by what stands in them."""
    security_groups: Mapping[Place, Input[str]] = field(default_factory=dict)
    """Ids of the network security groups that interfaces get, by what they guard; empty where subnets have them."""
    private_zones: Mapping[Service, Input[str]] = field(default_factory=dict)
    """Ids of the private DNS zones of the services that are reached by private endpoints in the subnet `endpoints`.
    What offers such a service makes its own endpoint."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A bucket for data: one container of a storage account."""

    name: str
    """Name in the description."""
    account: Input[str]
    """Name of the storage account."""
    container: Input[str]
    """Name of the container."""
    id: Input[str]
    """Id of the container, the scope of roles."""
    url: Input[str]
    """`https://<account>.blob.core.windows.net/<container>`."""


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
class ConfigStore:
    """Where nodes fetch their configuration from, and learn their names."""

    address: Input[str]
    """`<account>/<container>`: the value of the tag `hpc:config`, by which nodes find it."""
    container_id: Input[str]
    """Id of the container with the configuration."""
    nodes_container_id: Input[str]
    """Id of the container `nodes` of the same account, in which the elastic daemon keeps a blob for each scale set:
    which machine is which node."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """A secret of the cluster."""

    vault: Input[str]
    """Name of its Key Vault."""
    name: str
    """`munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Its id in Azure Resource Manager, the scope of roles."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LogStore:
    """Where nodes send the log of a failed boot."""

    address: Input[str]
    """Where they post it: the value of the tag `hpc:logs`."""
    rule_id: Input[str]
    """Id of the data collection rule, the scope of the role to do so."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """What all nodes of a cluster use at boot, each as far as its identity may."""

    config: ConfigStore
    """Where they fetch their configuration from."""
    munge: SecretRef
    """The key by which Slurm's daemons know one another. The head node makes it."""
    jwt: SecretRef
    """The key that signs Slurm's tokens. The head node makes it."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share. The first of them makes them."""
    logs: LogStore | None = None
    """Where they send the logs of failed boots."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A user-assigned managed identity."""

    id: Input[str]
    """Its id, by which machines are given it."""
    client_id: Input[str]
    """By which a machine asks for its tokens, where it has several."""
    principal_id: Input[str] | None = None
    """To whom roles are given. None: it has the roles that it needs, and is given none."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The identities of machines."""

    own: Identity
    """That of the node itself."""
    lent: Identity | None = None
    """One that may use buckets and nothing else, which the node lends to the people and jobs on it."""

    def __post_init__(self) -> None:
        """Refuse to lend the node's own identity, which may do far more than use buckets."""
        check_not_shared("Identities.lent", self.own.id, [self.lent.id] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node must know of a fleet to change its size."""

    scale_sets: Mapping[str, Input[str]]
    """Ids of the scale sets by `<machine>/<zone>`."""
    availability_sets: Mapping[str, Input[str]] = field(default_factory=dict)
    """Ids of the availability sets likewise, into which it launches machines with names of their own."""
    flexible: bool = True
    """Whether any of the scale sets is Flexible, whose machines are ordinary ones that it must be allowed to make."""
    purchase: str
    """`on_demand`, `spot` or `reservation`."""
    identities: tuple[Input[str], ...]
    """Ids of the identities that it must be allowed to give to nodes."""
    subnets: tuple[Input[str], ...]
    """Ids of the subnets that it must be allowed to put nodes into."""
    parts: tuple[Input[str], ...] = ()
    """Ids of what else nodes are made with, and it must be allowed to use: security groups, placement groups,
    reservations, images, encryption sets. Here and above, an id that is plain text may be in any resource group; one
    that a program computes is taken to be in the cluster's."""
