"""The network of an Azure cluster."""

from collections.abc import Iterator
from typing import Literal

from hpc_components.azure.spec.addresses import Place
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Flag
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network

__all__ = ["AzureExistingNetwork", "AzureNetwork", "Service"]

Service = Literal["blob", "vault", "file"]
"""A service that can be reached by a private endpoint: Blob storage, Key Vault, Azure Files."""


class AzureExistingNetwork(ExistingNetwork):
    """The user's own network. Nothing in it is changed."""

    vnet: str
    """The virtual network's id, `/subscriptions/.../virtualNetworks/<name>`."""
    subnets: dict[Place, ExistingSubnet]
    """Subnets by what stands in them: `nodes` must be there; `head`, `login` and `endpoints` are `nodes` unless
    given; `lustre` and `netapp` are needed by file systems of these kinds."""
    security_groups: Flag = True
    """The cluster makes network security groups and sets them on its machines' interfaces. `false`: those of the
    subnets guard them."""

    def every_subnet(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Those that are named."""
        for place, subnet in self.subnets.items():
            yield ("subnets", place), subnet


class AzureNetwork(Network):
    """Where the cluster lives. Exactly one of `cidr` and `existing`."""

    existing: AzureExistingNetwork | None = None
    """An existing network."""
    nat: Literal["one", "none"] = "one"
    """A NAT gateway for all subnets, or none: then nodes have no way out, since Azure gives none by default."""
    bastion: Flag = False
    """Azure Bastion (Standard), by which administrators reach nodes without public addresses."""
    endpoints: tuple[Service, ...] = ()
    """Services reached by a private endpoint, inside the network: the cluster's storage accounts (`blob`), Key Vault
    (`vault`), Azure Files (`file`). Others are reached at their public address, guarded by identities."""
