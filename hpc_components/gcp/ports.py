"""The values that components of Google Cloud pass to one another: small, frozen, easy to build from existing ids.

Nothing here is a resource. A `Network` made by our own `Vpc` and one written by hand are the same to every component.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pulumi import Input, Resource

from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.spec.addresses import Place
from hpc_components.identity_check import check_not_shared

__all__ = [
    "BucketAccess", "BucketRef", "CardSubnet", "CompactPlacement", "ConfigStore", "FleetRef", "Identities",
    "Identity", "Network", "SecretRef", "Services",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
@checked_args
class CardSubnet:
    """The network of one further network card of a machine."""

    network: Input[str]
    """Id of the network."""
    subnet: Input[str]
    """Id of the subnet."""
    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    """Kind of card."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Network:
    """A network to put things into."""

    id: Input[str]
    """Its id, `projects/<project>/global/networks/<name>`."""
    cidr: str
    """Address range."""
    subnets: Mapping[Place, Input[str]]
    """Ids of the subnets, `projects/<project>/regions/<region>/subnetworks/<name>`, by what stands in them."""
    ranges: Mapping[Place, str] = field(default_factory=dict)
    """Address ranges of the subnets, if nothing else is in them; empty where the network is the user's own."""
    cards: Mapping[tuple[str, str], tuple[CardSubnet, ...]] = field(default_factory=dict)
    """Subnets of further network cards, in the order of the cards, by queue and zone."""
    services: tuple[Resource, ...] = ()
    """What must be there before a file system can be made in the network: the connection for private services
    access. Empty where it is there already."""
    services_range: Input[str] | None = None
    """Name of the address range that is lent to Google's services; None where the network is the user's own."""
    firewall_rules: bool = True
    """Whether components make firewall rules for their machines."""


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
    """What the people and jobs on some nodes may do with buckets."""

    read: tuple[BucketRef, ...] = ()
    """Buckets that they may read only."""
    write: tuple[BucketRef, ...] = ()
    """Buckets in which they may read, write and delete."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigStore:
    """Where nodes fetch their configuration from."""

    bucket: Input[str]
    """Name of the bucket: the value of the metadata key `hpc-config`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class SecretRef:
    """A secret of the cluster. Pulumi makes it without a value."""

    name: str
    """`munge`, `jwt` or `ssh-host`."""
    id: Input[str]
    """Its id, `projects/<project>/secrets/<name>`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Services:
    """What all nodes of a cluster use at boot, each as far as its service account may."""

    config: ConfigStore
    """Where they fetch their configuration from."""
    munge: SecretRef
    """The key by which Slurm's daemons know one another. The head node makes it."""
    jwt: SecretRef
    """The key that signs Slurm's tokens. The head node makes it."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share. The first of them makes them."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identity:
    """A service account."""

    email: Input[str]
    """Its email, by which machines are given it."""
    is_ours: bool = True
    """False: it has the permissions that it needs, and is given none."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class Identities:
    """The service accounts of machines."""

    own: Identity
    """That of the node itself."""
    lent: Identity | None = None
    """One that may use buckets and nothing else. The node makes tokens of it and lends them to the people and jobs on
    it."""

    def __post_init__(self) -> None:
        """Refuse to lend the node's own identity, which may do far more than use buckets."""
        check_not_shared("Identities.lent", self.own.email, [self.lent.email] if self.lent else [])


@dataclass(frozen=True, kw_only=True)
@checked_args
class CompactPlacement:
    """How close the machines of a fleet are. The elastic daemon makes the policies, and removes them."""

    machines: int
    """Most machines of one policy."""
    max_distance: int | None = None
    """1, 2 or 3; None: as close as there is room."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class FleetRef:
    """What the head node must know of a fleet to make its machines."""

    queue: str
    """Name of the queue."""
    templates: Mapping[str, Input[str]]
    """Ids of the instance templates by `<machine>/<zone>`."""
    purchase: str
    """`on_demand`, `spot`, `flex_start` or `reservation`."""
    service_account: Input[str]
    """Email of the service account that it must be allowed to give to nodes."""
    subnets: Mapping[str, Input[str]]
    """Ids of the subnets that it must be allowed to put nodes into, by names of one's own (`nodes`). Fleets that
    share a subnet call it by the same name."""
    placement: CompactPlacement | None = None
    """For a fleet with compact placement."""
    spread: int | None = None
    """For a fleet that is spread: availability domains of its policy, 1 to 8."""
    policy: Input[str] | None = None
    """Id of a resource policy of the user's own, which all its machines get in place of the daemon's."""
    max_run_seconds: int | None = None
    """How long a machine of `flex_start` may run."""
    images: tuple[str, ...] = ()
    """Images of its machines: the head node must be allowed to use those that are not public."""
