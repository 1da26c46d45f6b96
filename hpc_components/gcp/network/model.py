from collections.abc import Iterator
from typing import Literal

from hpc_components.gcp.network.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Flag, Int, Model
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network


class CardNetwork(Model):
    """An existing network for nodes' additional network cards, with one subnet per card."""

    network: str
    """Id of the network, in the form `projects/<project>/global/networks/<name>`."""
    subnets: tuple[ExistingSubnet, ...]
    """The network's subnets in the cluster's region, one for each card."""


class GcpExistingNetwork(ExistingNetwork):
    """An existing network, possibly shared by another project. The cluster adds nothing to it except firewall
    rules.
    """

    id_key = "network"
    let_in_by = "own firewall rules"
    private: dict[str, ExistingSubnet]
    """The nodes' subnet, keyed by region because Google's subnets are regional."""
    network: str
    """Id of the network, in the form `projects/<project>/global/networks/<name>`."""
    head: ExistingSubnet | None = None
    """Subnet of the head node; default: the nodes' subnet."""
    login: ExistingSubnet | None = None
    """Subnet of the login nodes; default: the nodes' subnet."""
    services: Flag = False
    """Whether the network has a connection for private services access, which Managed Lustre and Filestore need."""
    cards: dict[str, tuple[CardNetwork, ...]] = {}
    """Networks for nodes' additional network cards (Cloud RDMA or GPU-to-GPU), keyed by zone and in the order of the
    cards."""
    firewall_rules: Flag = True
    """Whether to create firewall rules for the cluster's service accounts. With `false`, your own rules must let
    nodes reach each other. Must be `false` if another project owns the network."""

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        return self.login

    @property
    def shown_by(self) -> str:
        project, _, name = self.network.removeprefix("projects/").partition("/global/networks/")
        return f"`gcloud compute networks subnets list --project {project} --network {name}`"

    @property
    def places(self) -> dict[Place, ExistingSubnet]:
        own: dict[Place, ExistingSubnet | None] = {
            "nodes": next(iter(self.private.values()), None),
            "head": self.head,
            "login": self.login,
        }
        return {place: subnet for place, subnet in own.items() if subnet is not None}

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Yield the subnets, beginning with the nodes' subnet.

        Subnets for additional network cards are left out, because they are in other networks.
        """
        yield from super().subnets()
        for place, subnet in self.places.items():
            if place != "nodes":
                yield (place,), subnet


class GcpNetwork(Network):
    """The cluster's network. Specify exactly one of `cidr` and `existing`."""

    made_only = ("nat", "mtu")
    cidr: AddressRange | None = None
    """Address range of a new network for this cluster, /16 to /20."""
    existing: GcpExistingNetwork | None = None
    """An existing network."""
    nat: Literal["one", "none"] = "one"
    """Whether nodes without a public address get internet access through Cloud NAT (`one`) or not at all (`none`).
    With `none`, they can reach only Google's services."""
    mtu: Int = 8896
    """Maximum transmission unit in bytes, 1300 to 8896."""
    iap: Flag = True
    """Whether administrators can reach nodes through IAP TCP forwarding, which doesn't require public addresses."""
