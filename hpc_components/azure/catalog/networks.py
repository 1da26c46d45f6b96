"""What Azure demands of networks: ranges that it keeps, subnets that have a size, a name or a delegation."""

from dataclasses import dataclass
from ipaddress import IPv4Network

__all__ = ["FABRIC_RANGE", "SubnetNeed", "private_dns_zone", "subnet_need"]

FABRIC_RANGE = IPv4Network("172.16.0.0/16")
"""Range that machines with InfiniBand use for it: no network that they reach may overlap it.
Source: Azure documentation, "HB-series virtual machine overview"; CycleCloud documentation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetNeed:
    """What Azure demands of a subnet."""

    longest_prefix: int
    """It must have at least that many addresses: 26 for a /26 or larger."""
    name: str | None = None
    """The name that it must have."""
    delegation: str | None = None
    """The service that it must be delegated to."""


def subnet_need(place: str) -> SubnetNeed | None:
    """What a subnet for `netapp`, `bastion`, `database` needs; None for places without a need of their own."""
    raise NotImplementedError


def private_dns_zone(service: str) -> str:
    """The DNS zone of private endpoints to a service: `privatelink.blob.core.windows.net` for `blob`.

    KeyError: the catalogue has none of that name (`blob`, `file`, `vault`, `monitor`).
    """
    raise NotImplementedError
