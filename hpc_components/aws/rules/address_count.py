"""The rule on addresses: every subnet has one for each node that may be in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations
from math import ceil, log2

from hpc_components.aws.catalog.efa import addresses_per_node
from hpc_components.aws.catalog.network_limits import endpoint_kind
from hpc_components.aws.cloud import CLOUD
from hpc_components.aws.spec.addresses import plan_subnets, usable_addresses
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.network import AwsExistingNetwork
from hpc_components.aws.spec.storage import Efs, Lustre, Nfs
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

__all__ = ["Demand", "Shortage", "demands", "shortages", "smallest_prefix"]

FIXED = 16
"""Addresses of each subnet that are kept for fixed ones: a /28, see `spec/addresses.py`."""


@dataclass(frozen=True)
class Demand:
    """Something that takes addresses."""

    what: str
    zones: frozenset[str]
    """Its addresses may be in any of these."""
    addresses: int


@dataclass(frozen=True)
class Shortage:
    """Zones whose subnets together have fewer addresses than must be in them."""

    zones: tuple[str, ...]
    demands: tuple[Demand, ...]
    room: int

    @property
    def needed(self) -> int:
        """Addresses that must be in these zones."""
        return sum(demand.addresses for demand in self.demands)


def shortages(demands: Sequence[Demand], room: Mapping[str, int]) -> Iterator[Shortage]:
    """Where addresses run out, the fewest zones first; larger sets of zones that contain a shown one are left out.

    Nodes of several zones go wherever there is room. So all fit if and only if for every set of zones, what can go
    nowhere else fits into it (Hall's theorem).
    """
    found: list[set[str]] = []
    for size in range(1, len(room) + 1):
        for zones in combinations(room, size):
            inside = tuple(demand for demand in demands if demand.zones <= set(zones))
            free = sum(room[zone] for zone in zones)
            short = sum(demand.addresses for demand in inside) > free
            if short and not any(shown < set(zones) for shown in found):
                found.append(set(zones))
                yield Shortage(zones, inside, free)


def demands(cluster: AwsClusterSpec) -> list[Demand]:
    """What takes addresses of the private subnets when every queue is full.

    A Lustre file system is counted with one address per zone: how many it has for its size is not documented.
    """
    taken = []
    for queue in cluster.queues:
        zones = frozenset(cluster.queue_zones(queue))
        each = max(addresses_per_node(name, efa=fabric_on(queue)) or 1 for name in queue.machines)
        text = f"queue {queue.name} {queue.max * each} ({queue.max} nodes with {each} each)" if each > 1 else None
        taken.append(Demand(text or f"queue {queue.name} {queue.max}", zones, queue.max * each))
    if login := cluster.login_nodes:
        zones = frozenset(login.zones or (cluster.zone,))
        taken.append(Demand(f"login nodes {login.max}", zones, login.max))
        balancer = () if login.public else zones
        taken += [Demand("login balancer 1", frozenset({zone}), 1) for zone in balancer]
    return taken + _storage(cluster) + _endpoints(cluster)


def smallest_prefix(addresses: int) -> int:
    """The prefix length of the smallest subnet in which so many nodes have an address."""
    return 32 - ceil(log2(addresses + sum(CLOUD.kept_addresses) + FIXED))


@rule("HPC-NET-007", Level.ERROR)
def nodes_fit(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The private subnets have an address for every node when all queues are full.

    Five addresses of each subnet are AWS's own and sixteen are kept for fixed ones; with EFA some types take several.
    Without a free address EC2 refuses the launch. Source: Amazon VPC user guide, "Subnet CIDR blocks".
    """
    wanted = demands(cluster)
    if cluster.network.cidr is not None:
        yield from _in_own_network(cluster, cluster.network.cidr, wanted)
    elif cluster.network.existing is not None:
        yield from _in_existing_network(cluster, cluster.network.existing, wanted)


def _in_own_network(cluster: AwsClusterSpec, cidr: IPv4Network, wanted: list[Demand]) -> Iterator[Problem]:
    room = _planned_room(cidr, cluster.zones)
    for shortage in shortages(wanted, room) if room else ():
        wider = (cidr.supernet(new_prefix=prefix) for prefix in range(cidr.prefixlen - 1, 15, -1))
        fits = next((net for net in wider if not any(shortages(wanted, _planned_room(net, cluster.zones)))), None)
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=_shortfall(shortage),
            remedy=f"use at least a /{fits.prefixlen}: {fits}" if fits else _fewer(shortage),
        )


def _in_existing_network(
    cluster: AwsClusterSpec, existing: AwsExistingNetwork, wanted: list[Demand]
) -> Iterator[Problem]:
    subnets = {zone: existing.private[zone].cidr for zone in cluster.zones if zone in existing.private}
    if len(subnets) < len(cluster.zones) or any(subnet.prefixlen > 27 for subnet in subnets.values()):
        return
    for shortage in shortages(wanted, {zone: usable_addresses(cidr) for zone, cidr in subnets.items()}):
        zone = shortage.zones[0]
        each = ceil(shortage.needed / len(shortage.zones))
        yield Problem(
            path=("network", "existing", "private", zone, "cidr"),
            value=str(subnets[zone]),
            reason=_shortfall(shortage),
            remedy=f"use a subnet of at least a /{smallest_prefix(each)}, or {_fewer(shortage)}",
        )


def _planned_room(cidr: IPv4Network, zones: tuple[str, ...]) -> dict[str, int]:
    """Free addresses by zone; nothing where range or zones are wrong, which other rules say."""
    try:
        return {zone: usable_addresses(subnets.private) for zone, subnets in plan_subnets(cidr, zones).items()}
    except ValueError:
        return {}


def _shortfall(shortage: Shortage) -> str:
    where, has = ("subnet", "has") if len(shortage.zones) == 1 else ("subnets", "have")
    parts = " + ".join(demand.what for demand in shortage.demands)
    return (
        f"the private {where} of {', '.join(shortage.zones)} {has} {shortage.room:,} addresses for nodes, "
        f"and {shortage.needed:,} are needed: {parts}"
    )


def _fewer(shortage: Shortage) -> str:
    queues = [demand.what.split()[1] for demand in shortage.demands if demand.what.startswith("queue ")]
    over = shortage.needed - shortage.room
    return f"lower max of {any_of(queues) or 'login_nodes'} by {over:,} addresses in all, or add zones to it"


def _storage(cluster: AwsClusterSpec) -> list[Demand]:
    taken = []
    for name, system in cluster.storage.items():
        if isinstance(system, Efs):
            taken += [Demand(f"storage {name} 1", frozenset({zone}), 1) for zone in cluster.zones]
        elif isinstance(system, Lustre | Nfs) and system.existing is None:
            taken.append(Demand(f"storage {name} 1", frozenset({cluster.zone}), 1))
    return taken


def _endpoints(cluster: AwsClusterSpec) -> list[Demand]:
    paid = [service for service in cluster.network.endpoints if endpoint_kind(service) == "interface"]
    if cluster.network.cidr is None or not paid:
        return []
    return [Demand(f"endpoints {len(paid)}", frozenset({zone}), len(paid)) for zone in cluster.zones]
