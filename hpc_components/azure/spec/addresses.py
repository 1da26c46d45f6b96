"""The address plan of a virtual network: what stands in which subnet. Computed, never discovered.

Azure's subnets are of the region, not of a zone, so a zone that is added or removed moves nothing. Half of the range
is for compute nodes; how the rest is cut follows from the size of the range alone, so that what is added to a cluster
later has a place of its own and moves nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

Place = Literal["head", "login", "nodes", "lustre", "netapp", "endpoints", "bastion"]
"""What stands in a subnet: all else than nodes needs one of its own (Lustre), or is given one by Azure's rules
(NetApp's is delegated, Bastion's has a fixed name), or is there to be guarded by a security group of its own."""


@dataclass(frozen=True, kw_only=True)
class SubnetPlan:
    """The range of each subnet."""

    head: IPv4Network
    login: IPv4Network
    netapp: IPv4Network
    endpoints: IPv4Network
    bastion: IPv4Network
    lustre: IPv4Network
    nodes: IPv4Network


def plan_subnets(cidr: IPv4Network) -> SubnetPlan:
    """The subnets of a network of /16 to /24. ValueError if the range is larger or smaller.

    A /16 to /20 gives Lustre a quarter, a /22 at least. A /21 to /23 gives Lustre and Bastion an eighth each, a /26
    at least, which has room for 24 TiB and is what Bastion demands. In a /24 there is one such place, so it can have
    one of Lustre, NetApp Files and Bastion.
    """
    if not 16 <= cidr.prefixlen <= 24:
        raise ValueError(f"{cidr} can't be cut into subnets: it must be a /16 to /24")
    rest, nodes = cidr.subnets(prefixlen_diff=1)
    first, second = rest.subnets(prefixlen_diff=1)
    if cidr.prefixlen <= 20:
        head, login, netapp, small = first.subnets(prefixlen_diff=2)
        endpoints, bastion = small.subnets(prefixlen_diff=1)
        lustre = second
    elif cidr.prefixlen <= 23:
        head, login, endpoints, netapp = first.subnets(prefixlen_diff=2)
        bastion, lustre = second.subnets(prefixlen_diff=1)
    else:
        head, small = first.subnets(prefixlen_diff=1)
        login, endpoints = small.subnets(prefixlen_diff=1)
        lustre = netapp = bastion = second
    return SubnetPlan(
        head=head, login=login, netapp=netapp, endpoints=endpoints, bastion=bastion, lustre=lustre, nodes=nodes
    )


def sharing_a_place(cidr: IPv4Network, places: Iterable[Place]) -> tuple[Place, ...]:
    """Those of `places` that have the same range in the plan, so that only one of them can be made."""
    plan = plan_subnets(cidr)
    ranges = {place: getattr(plan, place) for place in places}
    return tuple(place for place, own in ranges.items() if list(ranges.values()).count(own) > 1)
