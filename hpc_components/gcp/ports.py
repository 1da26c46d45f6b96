"""Values that components of Google Cloud pass to each other: small, frozen, easy to build from existing ids.

None of them is a resource. Components treat a `Network` from `Vpc` and one written by hand alike.
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
    """The network of one additional network card of a machine."""

    network: Input[str]
    """Id of the network."""
    subnet: Input[str]
    """Id of the subnet."""
    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    """Type of the card."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A VPC network with its subnets."""

    id: Input[str]
    """Id of the network, `projects/<project>/global/networks/<name>`."""
    cidr: str
    """Address range."""
    subnets: Mapping[Place, Input[str]]
    """Ids of the subnets, `projects/<project>/regions/<region>/subnetworks/<name>`, by the nodes in them."""
    ranges: Mapping[Place, str] = field(default_factory=dict)
    """Address ranges of the subnets, if nothing else uses them; empty for an existing network."""
    cards: Mapping[tuple[str, str], tuple[CardSubnet, ...]] = field(default_factory=dict)
    """Subnets of additional network cards, in the order of the cards, by queue and zone."""
    services: tuple[Resource, ...] = ()
    """Resources that a file system in the network depends on: the connection for private services access. Empty if
    the network has one already."""
    services_range: Input[str] | None = None
    """Name of the address range allocated to Google's services; None for an existing network."""
    firewall_rules: bool = True
    """Whether components create firewall rules for their machines."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketRef:
    """A bucket for data."""

    name: str
    """Name in the description."""
    bucket: Input[str]
    """Name in Cloud Storage."""
    url: Input[str]
    """`gs://<bucket>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class BucketAccess:
    """Permissions on buckets for the users and jobs on a group of nodes."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that they may only read."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which they may read, write and delete."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """The bucket that nodes fetch their configuration from."""

    bucket: Input[str]
    """Name of the bucket, the value of the metadata key `hpc-config`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """A secret of the cluster. Pulumi creates it without a value."""

    name: str
    """`munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Id of the secret, `projects/<project>/secrets/<name>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """What the nodes of a cluster use at boot, as far as their service accounts allow."""

    config: ConfigStore
    """Where nodes fetch their configuration from."""
    munge: SecretRef
    """The key with which Slurm's daemons authenticate to each other. The head node creates it."""
    jwt: SecretRef
    """The key that signs Slurm's tokens. The head node creates it."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share. The first login node creates them."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A service account."""

    email: Input[str]
    """Its email address."""
    is_ours: bool = True
    """Whether the cluster made it and grants it roles; False: it already has the permissions that it needs."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The service accounts of machines."""

    own: Identity
    """That of the node itself."""
    lent: Identity | None = None
    """A second one that may use buckets and nothing else. The node issues its tokens to the users and jobs on it."""

    def __post_init__(self) -> None:
        """Refuse to lend the node's own identity, which may do far more than use buckets."""
        check_not_shared("Identities.lent", self.own.email, [self.lent.email] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class CompactPlacement:
    """How close together the machines of a fleet are. The elastic daemon creates and deletes the policies."""

    machines: int
    """Maximum number of machines in one policy."""
    max_distance: int | None = None
    """1, 2 or 3; None: as close as capacity allows."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node needs to know to launch the machines of a fleet."""

    queue: str
    """Name of the queue."""
    templates: Mapping[str, Input[str]]
    """Ids of the instance templates by `<machine>/<zone>`."""
    purchase: str
    """`on_demand`, `spot`, `flex_start` or `reservation`."""
    service_account: Input[str]
    """Email of the nodes' service account. The head node must be allowed to attach it."""
    subnets: Mapping[str, Input[str]]
    """Ids of the subnets of the nodes, by a label of your choice (`nodes`). The head node must be allowed to use
    them. Fleets that share a subnet use the same label."""
    placement: CompactPlacement | None = None
    """Compact placement of the fleet, if any."""
    spread: int | None = None
    """Number of availability domains of the spread policy, 1 to 8, if any."""
    policy: Input[str] | None = None
    """Id of a resource policy of your own, which all machines of the fleet get instead of the daemon's."""
    max_run_seconds: int | None = None
    """Maximum run time of a `flex_start` machine, in seconds."""
    images: tuple[str, ...] = ()
    """Images of its machines. The head node must be allowed to use those that are not public."""
