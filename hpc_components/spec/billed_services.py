"""Services and addresses that a cluster needs in addition to its nodes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PaidService:
    """Something other than a machine that is billed while it exists, used or not."""

    what: str
    """Purpose, by which costs are summed: `disks`, the name of a file system."""
    item: str
    """Its name in the cloud's price list."""
    quantity: float
    """Quantity in the unit of that price: a count for a price per hour, GiB for one per GiB and month."""


@dataclass(frozen=True)
class AddressNeed:
    """Something that needs addresses in the nodes' subnets."""

    what: str
    """Name and number of addresses: `queue mpi 64`."""
    places: frozenset[str]
    """Subnets that can provide the addresses, by their keys: see `ClusterSpec.subnet_place`."""
    addresses: int
