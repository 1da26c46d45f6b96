"""Defines the services that a cloud's network offers to each machine, as simulated in a rehearsal."""

from collections.abc import Sequence
from typing import Protocol

from hpc_components.cloud import cloud_named


class NetworkServices(Protocol):
    """A cloud's metadata service and name server.

    They run inside the sandbox and have the addresses of the real services.
    """

    @property
    def addresses(self) -> Sequence[str]:
        """Addresses that every host must be able to reach although they are not in the cluster's address range,
        including the name server's."""
        ...

    @property
    def name_server(self) -> str:
        """Address of the network's name server. A rehearsal runs a name server at this address."""
        ...

    @property
    def machine_names(self) -> tuple[str, str]:
        """(prefix, domain) of the names that the network assigns to addresses.

        An example of such a name is `ip-10-20-0-7.compute.internal`.
        """
        ...

    def serve(self) -> None:
        """Serve requests at the metadata service's address, in background threads. Return once it listens."""
        ...

    def add(self, address: str, machine: str) -> None:
        """Make the metadata service tell the host at `address` that it is the machine with this id."""
        ...

    def give_notice(self, address: str, seconds: float) -> None:
        """Make the metadata service tell the host at `address` that its spot machine will be reclaimed in
        `seconds`."""
        ...


def network_services(cloud: str) -> NetworkServices:
    """Return the services of the cloud's network. They do not answer until `serve` is called."""
    return cloud_named(cloud).parts.network_services()
