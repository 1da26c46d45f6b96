"""Plain ids of existing resources, as a user of single components writes them."""

from hpc_components.azure.ports import Group, Network
from hpc_components.ports import Tags

TAGS = Tags("cfd", {"Project": "wing"})
SUBSCRIPTION = "/subscriptions/11111111-2222-3333-4444-555555555555"
GROUP = Group(name="cfd", id=f"{SUBSCRIPTION}/resourceGroups/cfd", location="eastus")
VNET = f"{GROUP.id}/providers/Microsoft.Network/virtualNetworks/site"
NETWORK = Network(
    id=VNET,
    cidr="10.20.0.0/16",
    subnets={
        place: f"{VNET}/subnets/{place}" for place in ("head", "login", "nodes", "lustre", "netapp", "endpoints")
    },
)
ZONES = f"{GROUP.id}/providers/Microsoft.Network/privateDnsZones"
PRIVATE = Network(
    id=NETWORK.id,
    cidr=NETWORK.cidr,
    subnets=NETWORK.subnets,
    private_zones={
        "blob": f"{ZONES}/privatelink.blob.core.windows.net",
        "file": f"{ZONES}/privatelink.file.core.windows.net",
    },
)
"""The same network with private endpoints for storage."""
