"""Data types for what a cluster needs besides its nodes: billed services and IP addresses."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PaidService:
    """A service, other than a machine, that is billed for as long as it exists, even when unused."""

    what: str
    """Purpose under which the cost is totalled, e.g. `disks` or a file system's name."""
    item: str
    """The service's name in the cloud's price list."""
    quantity: float
    """Quantity that the price is multiplied by: a count if the price is per hour, GiB if it is per GiB-month."""


@dataclass(frozen=True)
class AddressNeed:
    """Something that needs addresses in the node subnets."""

    what: str
    """Name and number of addresses, e.g. `queue mpi 64`."""
    places: frozenset[str]
    """Keys of the subnets that can provide the addresses. See `ClusterSpec.subnet_place`."""
    addresses: int
