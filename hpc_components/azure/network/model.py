from collections.abc import Iterator
from typing import Literal

from hpc_components.azure.network.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Flag
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network

Service = Literal["blob", "vault", "file"]
"""A service that can have private endpoints: Blob storage, Key Vault or Azure Files."""


class AzureExistingNetwork(ExistingNetwork):
    """An existing network, which the cluster does not change."""

    id_key = "vnet"
    let_in_by = "your own network security groups"
    private: dict[str, ExistingSubnet]
    """The nodes' subnet, keyed by the region's name. Azure's subnets are regional, so one subnet serves all zones."""
    vnet: str
    """Id of the virtual network, `/subscriptions/.../virtualNetworks/<name>`."""
    head: ExistingSubnet | None = None
    """Subnet of the head node; default: the nodes' subnet."""
    login: ExistingSubnet | None = None
    """Subnet of the login nodes; default: the nodes' subnet."""
    lustre: ExistingSubnet | None = None
    """Dedicated subnet for a new Lustre file system."""
    netapp: ExistingSubnet | None = None
    """Subnet for NetApp Files. The subnet must be delegated to Microsoft.NetApp/volumes."""
    endpoints: ExistingSubnet | None = None
    """Subnet for private endpoints; default: the nodes' subnet."""
    dns_zones: dict[Service, str] = {}
    """Ids of private DNS zones that are already linked to the network, keyed by service:
    `/subscriptions/.../privateDnsZones/privatelink.blob.core.windows.net`. Private endpoints are registered in these
    zones. For other services in `endpoints`, the cluster creates and links a zone. A network can't be linked to two
    zones with the same name, so specify each zone that is already linked."""
    security_groups: Flag = True
    """Whether to create network security groups for the machines' network interfaces. If false, only the subnets'
    security groups apply."""

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        return self.login

    @property
    def shown_by(self) -> str:
        return f"`az network vnet show --ids {self.vnet}`"

    @property
    def places(self) -> dict[Place, ExistingSubnet]:
        """The specified subnets, keyed by purpose."""
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
        """Yield the subnets with their paths, starting with the nodes' subnet."""
        yield from super().subnets()
        for place, subnet in self.places.items():
            if place != "nodes":
                yield (place,), subnet


class AzureNetwork(Network):
    """The cluster's network. Specify exactly one of `cidr` and `existing`."""

    made_only = ("nat", "bastion")
    cidr: AddressRange | None = None
    """Address range of a new network, from /16 to /24. A /24 has room for 107 compute nodes and only one of Lustre,
    NetApp Files and Bastion."""
    existing: AzureExistingNetwork | None = None
    """An existing network to use instead of creating a new one."""
    nat: Literal["one", "none"] = "one"
    """`one` creates a NAT gateway for the subnets. With `none`, the subnets have no outbound access, because Azure's
    default outbound access is disabled."""
    bastion: Flag = False
    """Whether to create an Azure Bastion (Standard), through which administrators reach nodes without public
    addresses."""
    endpoints: tuple[Service, ...] = ()
    """Services for which to create private endpoints in the network: the cluster's storage accounts (`blob`), Key
    Vault (`vault`) or Azure Files (`file`). Other services are reached through their public endpoints and protected
    only by identities."""
