"""Data types for what a cluster needs besides its nodes: billed services and IP addresses."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PaidService:
    """A service, other than a machine, that is billed for as long as it exists, whether used or not."""

    what: str
    """Purpose by which costs are summed, e.g. `disks` or the name of a file system."""
    item: str
    """The service's name in the cloud's price list."""
    quantity: float
    """Quantity that the price is multiplied by: a count if the price is per hour, GiB if it is per GiB-month."""


@dataclass(frozen=True)
class AddressNeed:
    """Something that needs addresses in the nodes' subnets."""

    what: str
    """Name and number of addresses, e.g. `queue mpi 64`."""
    places: frozenset[str]
    """Keys of the subnets that can provide the addresses. See `ClusterSpec.subnet_place`."""
    addresses: int
