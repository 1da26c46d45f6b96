"""The network of a cluster on the toy cloud: it has one subnet."""

from collections.abc import Iterator

from hpc_components.spec.findings import Path
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network

__all__ = ["ToyNetwork"]


class ToyExistingNetwork(ExistingNetwork):
    """The user's own network."""

    subnet: ExistingSubnet
    """Its subnet."""

    def every_subnet(self) -> Iterator[tuple[Path, ExistingSubnet]]:
        """The one."""
        yield ("subnet",), self.subnet


class ToyNetwork(Network):
    """Where the cluster lives. Exactly one of `cidr` and `existing`."""

    existing: ToyExistingNetwork | None = None
    """An existing network."""
