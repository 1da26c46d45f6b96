"""The network of an Azure cluster."""

from collections.abc import Iterator
from typing import Literal

from hpc_components.azure.network.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Flag
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network

Service = Literal["blob", "vault", "file"]
"""Service with private endpoints: Blob storage, Key Vault or Azure Files."""


class AzureExistingNetwork(ExistingNetwork):
    """An existing network. The cluster changes nothing in it."""

    id_key = "vnet"
    let_in_by = "own network security groups"
    private: dict[str, ExistingSubnet]
    """Subnet of the nodes, with the name of the region as its key, because Azure's subnets have no zone."""
    vnet: str
    """Id of the virtual network, `/subscriptions/.../virtualNetworks/<name>`."""
    head: ExistingSubnet | None = None
    """Subnet of the head node; default: that of the nodes."""
    login: ExistingSubnet | None = None
    """Subnet of the login nodes; default: that of the nodes."""
    lustre: ExistingSubnet | None = None
    """Subnet for a new Lustre file system, with nothing else in it."""
    netapp: ExistingSubnet | None = None
    """Subnet for NetApp Files, delegated to Microsoft.NetApp/volumes."""
    endpoints: ExistingSubnet | None = None
    """Subnet of private endpoints; default: that of the nodes."""
    dns_zones: dict[Service, str] = {}
    """Ids of private DNS zones that are already linked to the network, by service: `/subscriptions/.../
    privateDnsZones/privatelink.blob.core.windows.net`. Private endpoints get their names there. For other services
    of `endpoints`, the cluster creates a zone and links it. A network can be linked to only one zone of the same
    name."""
    security_groups: Flag = True
    """Create network security groups for the interfaces of the machines. `false`: rely on those of the subnets."""

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        """Subnet of the login nodes."""
        return self.login

    @property
    def shown_by(self) -> str:
        """Command that shows the network."""
        return f"`az network vnet show --ids {self.vnet}`"

    @property
    def places(self) -> dict[Place, ExistingSubnet]:
        """Given subnets by purpose."""
        own: dict[Place, ExistingSubnet | None] = {
            "nodes": next(iter(self.private.values()), None),
            "head": self.head,
            "login": self.login,
            "lustre": self.lustre,
            "netapp": self.netapp,
            "endpoints": self.endpoints,
        }
        return {place: subnet for place, subnet in own.items() if subnet is not None}

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Yield the subnets with their paths, those of the nodes first."""
        yield from super().subnets()
        for place, subnet in self.places.items():
            if place != "nodes":
                yield (place,), subnet


class AzureNetwork(Network):
    """The network of a cluster. Exactly one of `cidr` and `existing` is given."""

    made_only = ("nat", "bastion")
    cidr: AddressRange | None = None
    """Address range of a new network, /16 to /24. A /24 has room for 107 compute nodes and one of Lustre, NetApp
    Files and Bastion."""
    existing: AzureExistingNetwork | None = None
    """An existing network."""
    nat: Literal["one", "none"] = "one"
    """`one`: a NAT gateway for the subnets; `none`: no outbound access, since the subnets disable Azure's default."""
    bastion: Flag = False
    """Azure Bastion (Standard), through which administrators reach nodes without public addresses."""
    endpoints: tuple[Service, ...] = ()
    """Services that get a private endpoint in the network: the cluster's storage accounts (`blob`), Key Vault
    (`vault`), Azure Files (`file`). Others are reached at their public endpoint, protected by identities."""
