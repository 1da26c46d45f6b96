"""Computes a virtual network's subnets and their address ranges from the network's range alone.

Azure's subnets are regional, so adding or removing a zone changes none of them. Half of the range is for compute
nodes. How the other half is divided depends only on the size of the range, so later additions to a cluster don't
change existing subnets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

Place = Literal["head", "login", "nodes", "lustre", "netapp", "endpoints", "bastion"]
"""Purpose of a subnet. Lustre, NetApp Files (a delegated subnet) and Bastion (a fixed name) require their own
subnets. The other purposes have separate subnets so that their security groups can differ."""


@dataclass(frozen=True, kw_only=True)
class SubnetPlan:
    head: IPv4Network
    login: IPv4Network
    netapp: IPv4Network
    endpoints: IPv4Network
    bastion: IPv4Network
    lustre: IPv4Network
    nodes: IPv4Network


def plan_subnets(cidr: IPv4Network) -> SubnetPlan:
    """Divide a /16 to /24 network into subnets. Raise ValueError if the range is larger or smaller.

    How the space is divided depends on the range:

    - /16 to /20: the Lustre subnet is a quarter of the range (at least a /22).
    - /21 to /23: the Lustre and Bastion subnets are an eighth each. They are at least a /26, which is enough for 24
      TiB of Lustre and is the minimum for Bastion.
    - /24: Lustre, NetApp Files and Bastion share one range, so the network can contain only one of them.
    """
    if not 16 <= cidr.prefixlen <= 24:
        raise ValueError(f"{cidr} can't be divided into subnets: it must be a /16 to /24")
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
    """Return the `places` that share a range in the plan. Only one of them can have a subnet."""
    plan = plan_subnets(cidr)
    ranges = {place: getattr(plan, place) for place in places}
    return tuple(place for place, own in ranges.items() if list(ranges.values()).count(own) > 1)
