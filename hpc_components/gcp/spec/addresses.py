"""The address plan of a network: what stands in which subnet. Computed, never discovered.

Google's subnets are of the region, not of a zone, so a zone that is added or removed moves nothing. Half of the range
is for compute nodes; a quarter is lent to Google's managed services (Lustre, Filestore, Cloud SQL), which stand in
networks of their own; an eighth is cut into the subnets of further network cards.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

Place = Literal["head", "login", "nodes"]
"""What stands in a subnet."""

_CARDS = 16
"""More than any machine has: a3-ultragpu-8g has ten."""


@dataclass(frozen=True, kw_only=True)
class SubnetPlan:
    """The range of each subnet."""

    head: IPv4Network
    login: IPv4Network
    nodes: IPv4Network
    services: IPv4Network
    """For private services access; in no subnet of the network."""
    cards: tuple[IPv4Network, ...]
    """For each network card after the first, in their order. Each such card is in another network, which no other
    knows, so the machines of all queues and zones may use the same ranges."""


def plan_subnets(cidr: IPv4Network) -> SubnetPlan:
    """The subnets of a network of /16 to /20. ValueError if the range is larger or smaller.

    In a /20, services have a /22, nodes a /21 and each further card a /27.
    """
    if not 16 <= cidr.prefixlen <= 20:
        raise ValueError(f"{cidr} can't be cut into subnets: it must be a /16 to /20")
    rest, nodes = cidr.subnets(prefixlen_diff=1)
    rest, services = rest.subnets(prefixlen_diff=1)
    rest, cards = rest.subnets(prefixlen_diff=1)
    head, login = rest.subnets(prefixlen_diff=1)
    each = tuple(cards.subnets(prefixlen_diff=_CARDS.bit_length() - 1))
    return SubnetPlan(head=head, login=login, nodes=nodes, services=services, cards=each)
