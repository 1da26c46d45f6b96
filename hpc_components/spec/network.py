"""The network of a cluster: a new one (`cidr`) or the user's own (`existing`)."""

from collections.abc import Iterator
from typing import ClassVar

from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Model


class ExistingSubnet(Model):
    """An existing subnet."""

    id: str
    """The subnet's id in the cloud."""
    cidr: AddressRange
    """Its address range; the head node's fixed address and the number of free addresses are computed from it."""


class ExistingNetwork(Model):
    """The user's own network. Nothing in it is changed."""

    cidr: AddressRange
    """Its address range."""
    private: dict[str, ExistingSubnet]
    """Subnets of the nodes, by region, or by zone if the cloud's subnets are zonal."""

    id_key: ClassVar[str] = "id"
    """The key with the network's id."""
    let_in_by: ClassVar[str] = "own firewall rules"
    """What has to admit addresses outside of `cidr`, if the user manages it."""

    @property
    def network_id(self) -> str:
        """The network's id in the cloud."""
        return getattr(self, self.id_key)

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        """A separate subnet for the login nodes, if the description names one."""
        return None

    @property
    def shown_by(self) -> str:
        """What shows the network's true ranges: a command, or a page of the cloud's console."""
        raise NotImplementedError

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Yield (path below `network.existing`, subnet). A cloud adds the subnets of its own keys."""
        for place, subnet in self.private.items():
            yield ("private", place), subnet


class Network(Model):
    """The cluster's network. Exactly one of `cidr` and `existing` is given."""

    cidr: AddressRange | None = None
    """Address range of a new network, made for this cluster."""
    existing: ExistingNetwork | None = None
    """An existing network."""
    ssh_from: tuple[AddressRange, ...] = ()
    """Address ranges that may reach the public head node and login nodes by SSH; none if empty."""
    nat: str = "one"
    """How nodes without a public address reach the internet: `one` gateway, or `none`."""

    made_only: ClassVar[tuple[str, ...]] = ("nat",)
    """Keys that apply only to a network made for this cluster, not to an existing one."""
