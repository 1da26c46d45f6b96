"""Values that Google Cloud components pass to each other.

These values are small, frozen, and easy to build from existing ids. None of them is a resource. Components accept a
`Network` from `Vpc` as well as one that you create yourself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pulumi import Input, Resource

from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.network.addresses import Place
from hpc_components.identity_check import check_not_shared

__all__ = [
    "BucketAccess", "BucketRef", "CardSubnet", "CompactPlacement", "ConfigStore", "FleetRef", "Identities",
    "Identity", "Network", "SecretRef", "Services",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
@checked_args
class CardSubnet:
    """The network and subnet of an additional network card."""

    network: Input[str]
    """Id of the network."""
    subnet: Input[str]
    """Id of the subnet."""
    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    """Card type."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A VPC network with its subnets."""

    id: Input[str]
    """Id of the network, in the form `projects/<project>/global/networks/<name>`."""
    cidr: str
    """Address range."""
    subnets: Mapping[Place, Input[str]]
    """Subnet ids in the form `projects/<project>/regions/<region>/subnetworks/<name>`, keyed by the kind of node in
    the subnet."""
    ranges: Mapping[Place, str] = field(default_factory=dict)
    """Address ranges of the subnets that only this cluster uses, with the same keys as `subnets`. Empty for an
    existing network."""
    cards: Mapping[tuple[str, str], tuple[CardSubnet, ...]] = field(default_factory=dict)
    """Subnets for additional network cards, in card order, keyed by queue and zone."""
    services: tuple[Resource, ...] = ()
    """Resources that file systems in the network must depend on: the connection for private services access. Empty if
    the network already has one."""
    services_range: Input[str] | None = None
    """Name of the address range allocated to Google's services, or None for an existing network."""
    firewall_rules: bool = True
    """Whether components create firewall rules for their machines."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A reference to a data bucket."""

    name: str
    """Name in the description."""
    bucket: Input[str]
    """Name in Cloud Storage."""
    url: Input[str]
    """URL of the bucket, `gs://<bucket>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """Permissions on buckets for the users and jobs on a group of nodes."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that users and jobs may only read."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which users and jobs may read, write and delete objects."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The bucket that nodes fetch their configuration from."""

    bucket: Input[str]
    """Name of the bucket, which is the value of the metadata key `hpc-config`."""
    publishes: bool = False
    """Whether the head node may publish files for all nodes in the bucket, under `published/`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """One of the cluster's secrets, which Pulumi creates without a value."""

    name: str
    """Name of the secret within the cluster: `munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Id of the secret, in the form `projects/<project>/secrets/<name>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """Resources that a cluster's nodes use at boot. Each node can use only those that its service account allows."""

    config: ConfigStore
    """The bucket from which nodes fetch their configuration."""
    munge: SecretRef
    """The key that Slurm's daemons use to authenticate to each other. The head node creates it."""
    jwt: SecretRef
    """The key that signs Slurm's tokens. The head node creates it."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share. The first login node creates them."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A service account."""

    email: Input[str]
    """The service account's email address."""
    is_ours: bool = True
    """Whether the cluster created the account and grants it roles. If not, the account must already have the
    permissions that it needs."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The service accounts of a group of machines."""

    own: Identity
    """The node's own service account."""
    lent: Identity | None = None
    """A second account that can access buckets and nothing else. The node issues this account's tokens to its users
    and jobs."""

    def __post_init__(self) -> None:
        """Refuse to lend the node's own identity, which can do far more than access buckets."""
        check_not_shared("Identities.lent", self.own.email, [self.lent.email] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class CompactPlacement:
    """Compact placement of a fleet's machines. The elastic daemon creates and deletes the placement policies."""

    machines: int
    """Maximum number of machines in one policy."""
    max_distance: int | None = None
    """Maximum distance between machines: 1 (same rack), 2 (neighbouring racks) or 3 (same cluster). If None, machines
    are as close together as capacity allows."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """Information that the head node needs to launch a fleet's machines."""

    queue: str
    """Name of the queue."""
    templates: Mapping[str, Input[str]]
    """Instance template ids, keyed by `<machine>/<zone>`."""
    purchase: str
    """Purchase option of the machines: `on_demand`, `spot`, `flex_start` or `reservation`."""
    service_account: Input[str]
    """Email of the nodes' service account. The head node must be allowed to attach this account to machines."""
    subnets: Mapping[str, Input[str]]
    """Ids of the nodes' subnets, keyed by a label of your choice, e.g. `nodes`. The head node must be allowed to use
    the subnets. Fleets that share a subnet must use the same label for it."""
    placement: CompactPlacement | None = None
    """The fleet's compact placement, if any."""
    spread: int | None = None
    """Number of availability domains in the spread policy (1 to 8), or None if the fleet has no spread policy."""
    policy: Input[str] | None = None
    """Id of your own resource policy, which is applied to all of the fleet's machines instead of the daemon's
    policies."""
    max_run_seconds: int | None = None
    """Maximum run time of a `flex_start` machine, in seconds."""
    images: tuple[Input[str], ...] = ()
    """The machines' images. The head node must be allowed to use any images that are not public."""
