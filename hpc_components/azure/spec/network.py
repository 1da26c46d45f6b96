"""The network of an Azure cluster."""

from collections.abc import Iterator
from typing import Literal

from hpc_components.azure.spec.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Flag
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network

Service = Literal["blob", "vault", "file"]
"""A service that can be reached by a private endpoint: Blob storage, Key Vault, Azure Files."""


class AzureExistingNetwork(ExistingNetwork):
    """The user's own network. Nothing in it is changed."""

    id_key = "vnet"
    let_in_by = "own network security groups"
    private: dict[str, ExistingSubnet]
    """The subnet of the nodes, under the name of the region: Azure's subnets are of no zone."""
    vnet: str
    """The virtual network's id, `/subscriptions/.../virtualNetworks/<name>`."""
    head: ExistingSubnet | None = None
    """Another subnet for the head node."""
    login: ExistingSubnet | None = None
    """Another subnet for the login nodes."""
    lustre: ExistingSubnet | None = None
    """A subnet for a Lustre file system that is made, with nothing else in it."""
    netapp: ExistingSubnet | None = None
    """A subnet for NetApp Files, delegated to Microsoft.NetApp/volumes."""
    endpoints: ExistingSubnet | None = None
    """Another subnet for private endpoints."""
    dns_zones: dict[Service, str] = {}
    """Ids of private DNS zones to which the network is linked already, by service: `/subscriptions/.../
    privateDnsZones/privatelink.blob.core.windows.net`. Private endpoints get their names there. For other services of
    `endpoints` the cluster makes a zone and links it; a network is linked to one zone of a name only."""
    security_groups: Flag = True
    """The cluster makes network security groups and sets them on its machines' interfaces. `false`: those of the
    subnets guard them."""

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        """The subnet under `login`."""
        return self.login

    @property
    def shown_by(self) -> str:
        """The CLI's command."""
        return f"`az network vnet show --ids {self.vnet}`"

    @property
    def places(self) -> dict[Place, ExistingSubnet]:
        """The subnets by what stands in them, as far as they are named."""
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
        """Those of the nodes first."""
        yield from super().subnets()
        for place, subnet in self.places.items():
            if place != "nodes":
                yield (place,), subnet


class AzureNetwork(Network):
    """Where the cluster lives. Exactly one of `cidr` and `existing`."""

    made_only = ("nat", "bastion")
    cidr: AddressRange | None = None
    """Address range of a network made for this cluster, /16 to /24. A /24 has room for 107 compute nodes, and for one
    of Lustre, NetApp Files and Bastion."""
    existing: AzureExistingNetwork | None = None
    """An existing network."""
    nat: Literal["one", "none"] = "one"
    """A NAT gateway for all subnets, or none: then nodes have no way out, since Azure gives none by default."""
    bastion: Flag = False
    """Azure Bastion (Standard), by which administrators reach nodes without public addresses."""
    endpoints: tuple[Service, ...] = ()
    """Services reached by a private endpoint, inside the network: the cluster's storage accounts (`blob`), Key Vault
    (`vault`), Azure Files (`file`). Others are reached at their public address, guarded by identities."""
