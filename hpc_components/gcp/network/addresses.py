"""Computes the address range of each subnet from the network's range.

Google's subnets belong to a region rather than a zone, so adding or removing a zone doesn't change them. Half of the
range is for compute nodes. A quarter is allocated to Google's managed services (Lustre, Filestore, Cloud SQL), which
run in separate networks. An eighth is split into subnets for additional network cards.
"""

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

Place = Literal["head", "login", "nodes"]
"""The kind of node that a subnet is for."""

_CARD_SUBNETS = 16
"""Number of ranges for additional network cards. a3-ultragpu-8g needs ten, more than any other machine type."""


@dataclass(frozen=True, kw_only=True)
class SubnetPlan:
    head: IPv4Network
    login: IPv4Network
    nodes: IPv4Network
    services: IPv4Network
    """Range for private services access, outside the network's subnets."""
    cards: tuple[IPv4Network, ...]
    """One range for each network card after the first, in order. The cards' networks are isolated from all others, so
    machines in all queues and zones can use the same ranges."""


def plan_subnets(cidr: IPv4Network) -> SubnetPlan:
    """Divide a network's range into subnets. Raise ValueError unless the range is a /16 to /20.

    In a /20, services get a /22, nodes a /21 and each additional card a /27.
    """
    if not 16 <= cidr.prefixlen <= 20:
        raise ValueError(f"{cidr} can't be divided into subnets: it must be a /16 to /20")
    rest, nodes = cidr.subnets(prefixlen_diff=1)
    rest, services = rest.subnets(prefixlen_diff=1)
    rest, cards = rest.subnets(prefixlen_diff=1)
    head, login = rest.subnets(prefixlen_diff=1)
    each = tuple(cards.subnets(prefixlen_diff=_CARD_SUBNETS.bit_length() - 1))
    return SubnetPlan(head=head, login=login, nodes=nodes, services=services, cards=each)
