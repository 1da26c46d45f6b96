"""Keys of the network in a description."""

from collections.abc import Iterator
from typing import Literal

from hpc_components.gcp.network.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Flag, Int, Model
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network


class CardNetwork(Model):
    """An existing network for additional network cards of nodes, with a subnet for each of these cards."""

    network: str
    """Id of the network, `projects/<project>/global/networks/<name>`."""
    subnets: tuple[ExistingSubnet, ...]
    """Its subnets in the cluster's region, one for each card."""


class GcpExistingNetwork(ExistingNetwork):
    """An existing network, possibly shared by another project. Only firewall rules are added to it."""

    id_key = "network"
    let_in_by = "own firewall rules"
    private: dict[str, ExistingSubnet]
    """The subnet of the nodes, keyed by region: Google's subnets are regional."""
    network: str
    """Id of the network, `projects/<project>/global/networks/<name>`."""
    head: ExistingSubnet | None = None
    """Subnet of the head node; default: that of the nodes."""
    login: ExistingSubnet | None = None
    """Subnet of the login nodes; default: that of the nodes."""
    services: Flag = False
    """The network has a connection for private services access, which Managed Lustre and Filestore need."""
    cards: dict[str, tuple[CardNetwork, ...]] = {}
    """Networks for the additional network cards of nodes (Cloud RDMA, GPUs), by zone, in the order of the cards."""
    firewall_rules: Flag = True
    """The cluster creates firewall rules for its own service accounts. `false`: your own rules let its nodes reach
    each other; needed if another project owns the network."""

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        """Subnet of the login nodes, if given."""
        return self.login

    @property
    def shown_by(self) -> str:
        """Command of gcloud that lists the subnets."""
        project, _, name = self.network.removeprefix("projects/").partition("/global/networks/")
        return f"`gcloud compute networks subnets list --project {project} --network {name}`"

    @property
    def places(self) -> dict[Place, ExistingSubnet]:
        """The subnets that are given, by the nodes in them."""
        own: dict[Place, ExistingSubnet | None] = {
            "nodes": next(iter(self.private.values()), None),
            "head": self.head,
            "login": self.login,
        }
        return {place: subnet for place, subnet in own.items() if subnet is not None}

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Yield the subnets, those of the nodes first. Subnets of additional cards are in other networks, and left
        out."""
        yield from super().subnets()
        for place, subnet in self.places.items():
            if place != "nodes":
                yield (place,), subnet


class GcpNetwork(Network):
    """Network of the cluster. Exactly one of `cidr` and `existing`."""

    made_only = ("nat", "mtu")
    cidr: AddressRange | None = None
    """Address range of a new network for this cluster, /16 to /20."""
    existing: GcpExistingNetwork | None = None
    """An existing network."""
    nat: Literal["one", "none"] = "one"
    """Cloud NAT for nodes without a public address; with `none` they reach only Google's services."""
    mtu: Int = 8896
    """Maximum transmission unit in bytes, 1300 to 8896."""
    iap: Flag = True
    """Administrators reach nodes through IAP's TCP forwarding, without public addresses."""
