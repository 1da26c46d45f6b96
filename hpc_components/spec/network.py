"""Models of a cluster's network, which is either a new one (`cidr`) or an existing one (`existing`)."""

from collections.abc import Iterator
from typing import ClassVar

from hpc_components.spec.findings import Path
from hpc_components.spec.model import AddressRange, Model


class ExistingSubnet(Model):
    """An existing subnet."""

    id: str
    """The subnet's id in the cloud."""
    cidr: AddressRange
    """Address range of the subnet. The head node's fixed address and the number of free addresses depend on this
    range."""


class ExistingNetwork(Model):
    """The user's own network, which the cluster doesn't change."""

    cidr: AddressRange
    """The network's address range."""
    private: dict[str, ExistingSubnet]
    """The nodes' subnets, keyed by region, or by zone if the cloud's subnets are zonal."""

    id_key: ClassVar[str] = "id"
    """Name of the key that holds the network's id."""
    let_in_by: ClassVar[str] = "own firewall rules"
    """What the user must configure to admit addresses outside `cidr`."""

    @property
    def network_id(self) -> str:
        """The network's id in the cloud."""
        return getattr(self, self.id_key)

    @property
    def login_subnet(self) -> ExistingSubnet | None:
        """A separate subnet for the login nodes, or None if the description doesn't specify one."""
        return None

    @property
    def shown_by(self) -> str:
        """Where to look up the network's actual address ranges: a command or a page in the cloud's console."""
        raise NotImplementedError

    def subnets(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """Yield (path under `network.existing`, subnet) pairs. Models of clouds with additional subnet keys override
        this method.
        """
        for place, subnet in self.private.items():
            yield ("private", place), subnet


class Network(Model):
    """The cluster's network. Exactly one of `cidr` and `existing` must be specified."""

    cidr: AddressRange | None = None
    """Address range of a new network to create for this cluster."""
    existing: ExistingNetwork | None = None
    """An existing network to use instead."""
    ssh_from: tuple[AddressRange, ...] = ()
    """Address ranges from which the public head node and login nodes accept SSH. Default: none."""
    nat: str = "one"
    """How nodes without a public address reach the internet: through a single gateway (`one`) or not at all
    (`none`)."""

    made_only: ClassVar[tuple[str, ...]] = ("nat",)
    """Keys that apply only to a network created for this cluster, not to an existing one."""
