from dataclasses import dataclass


@dataclass(frozen=True)
class PaidService:
    """A billed service other than a machine. It costs money for as long as it exists, even when unused."""

    what: str
    """Category under which the cost is totalled, e.g. `disks` or a file system's name."""
    item: str
    """The service's name in the cloud's price list."""
    quantity: float
    """Quantity by which to multiply the price: a count for hourly prices, or GiB for prices per GiB-month."""


@dataclass(frozen=True)
class AddressNeed:
    """Something that needs addresses in the node subnets."""

    what: str
    """What needs the addresses, and how many are needed, e.g. `queue mpi 64`."""
    places: frozenset[str]
    """Keys of the subnets that can provide the addresses. See `ClusterSpec.subnet_place`."""
    addresses: int
