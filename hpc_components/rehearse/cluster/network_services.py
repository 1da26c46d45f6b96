"""What a cloud's network offers to each machine by itself, as a rehearsal simulates it."""

from collections.abc import Sequence
from typing import Protocol

from hpc_components.cloud import cloud_named

__all__ = ["NetworkServices", "network_services"]


class NetworkServices(Protocol):
    """A cloud's metadata service and name server.

    They run inside the sandbox, where their addresses are those of the real services.
    """

    @property
    def addresses(self) -> Sequence[str]:
        """Addresses outside the cluster's network that every host must reach, the name server's among them."""
        ...

    @property
    def name_server(self) -> str:
        """Address of the network's name server. A rehearsal runs one there."""
        ...

    @property
    def machine_names(self) -> tuple[str, str]:
        """Prefix and domain of the names that it has for addresses: `ip-10-20-0-7.compute.internal`."""
        ...

    def serve(self) -> None:
        """Start to answer at the metadata service's address, in threads of its own. Returns when it listens."""
        ...

    def add(self, address: str, machine: str) -> None:
        """Let the host at `address` find out that it is the machine with this id."""
        ...

    def give_notice(self, address: str, seconds: float) -> None:
        """Let the host at `address` find out that its spot machine is taken away in so many seconds."""
        ...


def network_services(cloud: str) -> NetworkServices:
    """The services of the cloud's network. They answer after `serve`."""
    return cloud_named(cloud).parts.network_services()
