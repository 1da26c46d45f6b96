"""What a cloud's network offers to each machine by itself, as a rehearsal simulates it."""

from collections.abc import Sequence
from typing import Protocol, cast

from hpc_components.cloud import cloud_named

__all__ = ["NetworkServices", "network_services"]


class NetworkServices(Protocol):
    """A cloud's metadata service and name server.

    Each cloud has a class of this name, without arguments, in its part `rehearse`. It runs inside the sandbox, where
    its addresses are those of the real services.
    """

    addresses: Sequence[str]
    """Addresses outside the cluster's network that every host must reach, the name server's among them."""
    name_server: str
    """Address of the network's name server. A rehearsal runs one there."""
    machine_names: tuple[str, str]
    """Prefix and domain of the names that it has for addresses: `ip-10-20-0-7.compute.internal`."""

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
    return cast(NetworkServices, cloud_named(cloud).part("rehearse").NetworkServices())
