"""The network of a cluster on Google Cloud."""

from collections.abc import Iterator
from typing import Literal

from hpc_components.gcp.spec.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Flag, Int, Model
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network


class CardNetwork(Model):
    """An existing network for further network cards of nodes, and a subnet of it for each of these cards."""

    network: str
    """Its id, `projects/<project>/global/networks/<name>`."""
    subnets: tuple[ExistingSubnet, ...]
    """Its subnets in the cluster's region, one for each card."""


class GcpExistingNetwork(ExistingNetwork):
    """Your own network, also one that another project shares. Nothing in it is changed but for firewall rules."""

    id_key = "network"
    let_in_by = "own firewall rules"
    private: dict[str, ExistingSubnet]
    """The subnet of the nodes, under the name of the region: Google's subnets are of no zone."""
    network: str
    """The network's id, `projects/<project>/global/networks/<name>`."""
    head: ExistingSubnet | None = None
    """Another subnet for the head node."""
    login: ExistingSubnet | None = None
    """Another subnet for the login nodes."""
    services: Flag = False
    """It has a connection for private services access, which Managed Lustre and Filestore need."""
    cards: dict[str, tuple[CardNetwork, ...]] = {}
    """Networks for the further network cards of nodes, by zone, in the order of the cards, for Cloud RDMA and
    GPUs."""
    firewall_rules: Flag = True
    """The cluster makes firewall rules for its own service accounts. `false`: yours let its nodes reach one another;
    needed where another project owns the network."""

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        """The subnet under `login`."""
        return self.login

    @property
    def shown_by(self) -> str:
        """The CLI's command."""
        project, _, name = self.network.removeprefix("projects/").partition("/global/networks/")
        return f"`gcloud compute networks subnets list --project {project} --network {name}`"

    @property
    def places(self) -> dict[Place, ExistingSubnet]:
        """The subnets by what stands in them, as far as they are named."""
        own: dict[Place, ExistingSubnet | None] = {
            "nodes": next(iter(self.private.values()), None),
            "head": self.head,
            "login": self.login,
        }
        return {place: subnet for place, subnet in own.items() if subnet is not None}

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Those of the nodes first. Those of further cards are in other networks, and left out."""
        yield from super().subnets()
        for place, subnet in self.places.items():
            if place != "nodes":
                yield (place,), subnet


class GcpNetwork(Network):
    """Where the cluster lives. Exactly one of `cidr` and `existing`."""

    made_only = ("nat", "mtu")
    cidr: AddressRange | None = None
    """Address range of a network made for this cluster, /16 to /20."""
    existing: GcpExistingNetwork | None = None
    """An existing network."""
    nat: Literal["one", "none"] = "one"
    """Cloud NAT for nodes without a public address, or none: then they reach Google's services only."""
    mtu: Int = 8896
    """Bytes of the largest packet, 1300 to 8896."""
    iap: Flag = True
    """Administrators reach nodes by IAP's TCP forwarding, without public addresses."""
