"""What a cluster needs beside its nodes: services that are paid for being there, and addresses."""

from dataclasses import dataclass

__all__ = ["AddressNeed", "PaidService"]


@dataclass(frozen=True)
class PaidService:
    """Something other than a machine that is paid for being there, whether anybody uses it or not."""

    what: str
    """What it is for, by which costs are summed up: `disks`, the name of a file system."""
    item: str
    """Its name in the cloud's price list."""
    quantity: float
    """In the unit of that price: a count for a price by the hour, GiB for one by GiB and month."""


@dataclass(frozen=True)
class AddressNeed:
    """Something that takes addresses of the nodes' subnets."""

    what: str
    """What it is, and how many it takes: `queue mpi 64`."""
    places: frozenset[str]
    """Its addresses may be in any of these, each named as its subnet: see `ClusterSpec.subnet_place`."""
    addresses: int
