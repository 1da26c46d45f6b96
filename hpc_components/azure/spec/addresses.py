"""The address plan of a virtual network: what stands in which subnet. Computed, never discovered.

Azure's subnets are of the region, not of a zone, so a zone that is added or removed moves nothing. Half of the range
is for compute nodes, a quarter for Lustre, whose servers take many addresses; the rest is cut into sixteenths.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

__all__ = ["Place", "SubnetPlan", "plan_subnets"]

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
    """The subnets of a network of /16 to /20. ValueError if the range is larger or smaller.

    In a /20, Lustre has a /22, Bastion a /25 (Azure wants a /26) and nodes a /21.
    """
    if not 16 <= cidr.prefixlen <= 20:
        raise ValueError(f"{cidr} can't be cut into subnets: it must be a /16 to /20")
    rest, nodes = cidr.subnets(prefixlen_diff=1)
    rest, lustre = rest.subnets(prefixlen_diff=1)
    head, login, netapp, small = rest.subnets(prefixlen_diff=2)
    endpoints, bastion = small.subnets(prefixlen_diff=1)
    return SubnetPlan(
        head=head, login=login, netapp=netapp, endpoints=endpoints, bastion=bastion, lustre=lustre, nodes=nodes
    )
