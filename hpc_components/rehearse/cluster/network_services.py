from collections.abc import Sequence
from typing import Protocol

from hpc_components.cloud import cloud_named


class NetworkServices(Protocol):
    """A cloud's metadata service and name server, run inside the sandbox at the addresses of the real services."""

    @property
    def addresses(self) -> Sequence[str]:
        """Addresses outside the cluster's address range that every host must be able to reach, including that of the
        name server.
        """
        ...

    @property
    def name_server(self) -> str:
        """Address of the network's name server."""
        ...

    @property
    def machine_names(self) -> tuple[str, str]:
        """Prefix and domain of the host names that the network derives from addresses.

        For example, `ip-10-20-0-7.compute.internal` has the prefix `ip-` and the domain `compute.internal`.
        """
        ...

    def serve(self) -> None:
        """Start the metadata service in background threads, and return when it is listening."""
        ...

    def add(self, address: str, machine: str) -> None:
        """Register the host at `address` with the metadata service, under the machine id `machine`."""
        ...

    def give_notice(self, address: str, seconds: float) -> None:
        """Announce through the metadata service that the spot machine at `address` will be reclaimed in `seconds`."""
        ...


def network_services(cloud: str) -> NetworkServices:
    """Return a cloud's network services. Call `serve` to start them."""
    return cloud_named(cloud).parts.network_services()
