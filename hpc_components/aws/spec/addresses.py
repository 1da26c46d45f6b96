"""The address plan of a VPC: which zone has which subnets. Computed, never discovered.

A cluster's range is cut into eighths. The first holds the public subnets; eighth N + 1 is the private subnet of the
zone whose id ends in `azN`. So a subnet's range follows from its zone alone: adding, removing or reordering zones
moves nothing.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network

_ZONE_NUMBER = re.compile(r"-az([1-7])$")


@dataclass(frozen=True)
class ZoneSubnets:
    """The two subnets of one zone."""

    zone: str
    private: IPv4Network
    public: IPv4Network


def plan_subnets(cidr: IPv4Network, zones: Iterable[str]) -> dict[str, ZoneSubnets]:
    """Subnets of each zone id in `zones`, cut from `cidr`, which must be /16 to /20.

    Raises ValueError where a zone id does not end in `az1` to `az7` or the range is too large or small to be cut.
    """
    if not 16 <= cidr.prefixlen <= 20:
        raise ValueError(f"{cidr} can't be cut into subnets: it must be a /16 to /20")
    public, *private = cidr.subnets(prefixlen_diff=3)
    publics = list(public.subnets(prefixlen_diff=3))
    plan = {}
    for zone in zones:
        match = _ZONE_NUMBER.search(zone)
        if match is None:
            raise ValueError(f"{zone!r} is not a zone id like use2-az2 (az1 to az7)")
        number = int(match[1])
        plan[zone] = ZoneSubnets(zone, private[number - 1], publics[number])
    return plan
