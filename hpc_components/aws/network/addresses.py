"""Plans a VPC's addresses: computes each zone's subnets from the zone id.

The cluster's range is divided into eighths. The first eighth contains the public subnets, and eighth N + 1 is the
private subnet of the zone whose id ends in `azN`. A subnet's range therefore depends only on its zone, so adding,
removing or reordering zones does not move existing subnets.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network

_ZONE_NUMBER = re.compile(r"-az([1-7])$")


@dataclass(frozen=True)
class ZoneSubnets:
    zone: str
    private: IPv4Network
    public: IPv4Network


def plan_subnets(cidr: IPv4Network, zones: Iterable[str]) -> dict[str, ZoneSubnets]:
    """Divide `cidr` into subnets, and return them keyed by zone id.

    Raise ValueError if a zone id does not end in `az1` to `az7`, or if the range is not a /16 to /20.
    """
    if not 16 <= cidr.prefixlen <= 20:
        raise ValueError(f"{cidr} can't be divided into subnets: it must be a /16 to /20")
    public, *private = cidr.subnets(prefixlen_diff=3)
    publics = list(public.subnets(prefixlen_diff=3))
    plan = {}
    for zone in zones:
        match = _ZONE_NUMBER.search(zone)
        if match is None:
            raise ValueError(f"{zone!r} is not a zone id such as use2-az2; it must end in -az1 to -az7")
        number = int(match[1])
        plan[zone] = ZoneSubnets(zone, private[number - 1], publics[number])
    return plan
