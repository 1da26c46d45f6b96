"""The network of a cluster: ours (`cidr`) or the user's own (`existing`)."""

from collections.abc import Iterator

from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Model

__all__ = ["ExistingNetwork", "ExistingSubnet", "Network"]


class ExistingSubnet(Model):
    """An existing subnet."""

    id: str
    """The subnet's id in the cloud."""
    cidr: AddressRange
    """Its address range; the head node's fixed address and the count of free addresses are computed from it."""


class ExistingNetwork(Model):
    """The user's own network. Nothing in it is changed."""

    cidr: AddressRange
    """Its address range."""

    def every_subnet(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """All subnets that the description names, each with its place below `network.existing`."""
        raise NotImplementedError


class Network(Model):
    """Where the cluster lives. Exactly one of `cidr` and `existing`."""

    cidr: AddressRange | None = None
    """Address range of a network made for this cluster, /16 to /20."""
    existing: ExistingNetwork | None = None
    """An existing network."""
    ssh_from: tuple[AddressRange, ...] = ()
    """Address ranges that may reach the public head node and login nodes by SSH. Nobody, if empty."""
