from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations
from math import ceil, log2

from hpc_components.catalog.clouds import catalog_of
from hpc_components.cloud import cloud_named
from hpc_components.spec.address_ranges import is_public
from hpc_components.spec.addresses import FIXED_ADDRESSES, MAX_PREFIX_LENGTH, usable_addresses
from hpc_components.spec.billed_services import AddressNeed
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.network import ExistingNetwork
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of


@dataclass(frozen=True)
class Shortage:
    """A set of subnets that together have too few addresses."""

    places: tuple[str, ...]
    needs: tuple[AddressNeed, ...]
    room: int

    @property
    def needed(self) -> int:
        return sum(need.addresses for need in self.needs)


def shortages(needs: Sequence[AddressNeed], room: Mapping[str, int]) -> Iterator[Shortage]:
    """Yield the minimal sets of subnets that run out of addresses, smallest set first.

    A node that may be in several zones is placed wherever there is room. By Hall's theorem, all nodes fit if and only
    if every set of subnets has room for the nodes that can't be placed anywhere else.
    """
    found: list[set[str]] = []
    for size in range(1, len(room) + 1):
        for places in combinations(room, size):
            inside = tuple(need for need in needs if need.places <= set(places))
            free = sum(room[place] for place in places)
            short = sum(need.addresses for need in inside) > free
            if short and not any(shown < set(places) for shown in found):
                found.append(set(places))
                yield Shortage(places, inside, free)


def address_needs(cluster: ClusterSpec) -> list[AddressNeed]:
    taken = []
    for queue in cluster.queues:
        places = frozenset(map(cluster.subnet_place, cluster.queue_zones(queue)))
        by_machine = catalog_of(cluster.cloud).addresses_per_node
        each = max(by_machine(name, fabric_on(queue)) for name in queue.machines)
        text = f"queue {queue.name} {queue.max * each} ({queue.max} nodes with {each} each)" if each > 1 else None
        taken.append(AddressNeed(text or f"queue {queue.name} {queue.max}", places, queue.max * each))
    if login := cluster.login_nodes:
        places = frozenset(map(cluster.subnet_place, login.zones or (cluster.zone,)))
        taken.append(AddressNeed(f"login nodes {login.max}", places, login.max))
    return [*taken, *cluster.other_addresses()]


def smallest_prefix(cloud: str, addresses: int) -> int:
    """Return the prefix length of the smallest subnet that leaves this many addresses for nodes."""
    return 32 - ceil(log2(addresses + sum(cloud_named(cloud).kept_addresses) + FIXED_ADDRESSES))


@rule("HPC-NET-007", Level.ERROR)
def nodes_fit(cluster: ClusterSpec) -> Iterator[Problem]:
    """The node subnets must have an address for every node when all queues are full.

    In each subnet, the cloud reserves some addresses (five on AWS), and the cluster keeps sixteen for fixed
    assignment. With EFA, some machine types need several addresses per node. If no address is free, the cloud refuses
    the launch. Source: on AWS, Amazon VPC user guide, "Subnet CIDR blocks".
    """
    needs = address_needs(cluster)
    if cluster.network.cidr is not None:
        yield from _in_own_network(cluster, cluster.network.cidr, needs)
    elif cluster.network.existing is not None:
        yield from _in_existing_network(cluster, cluster.network.existing, needs)


def _in_own_network(cluster: ClusterSpec, cidr: IPv4Network, needs: list[AddressNeed]) -> Iterator[Problem]:
    for shortage in shortages(needs, _room_in(cluster, cidr)):
        wider = (cidr.supernet(new_prefix=prefix) for prefix in range(cidr.prefixlen - 1, 7, -1))
        fits = next((net for net in wider if _would_fit(cluster, net, needs)), None)
        yield Problem(
            path=("network", "cidr"),
            value=str(cidr),
            reason=_shortfall(shortage),
            remedy=f"use at least a /{fits.prefixlen}, e.g. {fits}" if fits else _fewer(cluster, shortage),
        )


def _in_existing_network(
    cluster: ClusterSpec, existing: ExistingNetwork, needs: list[AddressNeed]
) -> Iterator[Problem]:
    for shortage in shortages(needs, _room(cluster)):
        place = shortage.places[0]
        each = ceil(shortage.needed / len(shortage.places))
        prefix = smallest_prefix(cluster.cloud, each)
        yield Problem(
            path=("network", "existing", "private", place, "cidr"),
            value=str(existing.private[place].cidr),
            reason=_shortfall(shortage),
            remedy=f"use a subnet that is at least a /{prefix}, or {_fewer(cluster, shortage)}",
        )


def _would_fit(cluster: ClusterSpec, cidr: IPv4Network, needs: list[AddressNeed]) -> bool:
    """A range with public addresses is accepted only if the network's current range has some as well."""
    if cluster.network.cidr and is_public(cidr) and not is_public(cluster.network.cidr):
        return False
    room = _room_in(cluster, cidr)
    return bool(room) and not any(shortages(needs, room))


def _room_in(cluster: ClusterSpec, cidr: IPv4Network) -> dict[str, int]:
    network = cluster.network.model_copy(update={"cidr": cidr, "existing": None})
    return _room(cluster.model_copy(update={"network": network}))


def _room(cluster: ClusterSpec) -> dict[str, int]:
    """Return the number of addresses that each subnet has for nodes.

    The mapping is empty if ranges, zones or subnets are invalid. Other rules report these errors.
    """
    try:
        subnets = {cluster.subnet_place(zone): cluster.node_subnet(zone) for zone in cluster.zones}
    except (KeyError, ValueError):
        return {}
    if any(subnet.prefixlen > MAX_PREFIX_LENGTH for subnet in subnets.values()):
        return {}
    return {place: usable_addresses(cluster.cloud, subnet) for place, subnet in subnets.items()}


def _shortfall(shortage: Shortage) -> str:
    where, has = ("subnet", "has") if len(shortage.places) == 1 else ("subnets", "have")
    parts = " + ".join(need.what for need in shortage.needs)
    return (
        f"the private {where} of {', '.join(shortage.places)} {has} {shortage.room:,} addresses for nodes, "
        f"but {shortage.needed:,} are needed: {parts}"
    )


def _fewer(cluster: ClusterSpec, shortage: Shortage) -> str:
    queues = [need.what.split()[1] for need in shortage.needs if need.what.startswith("queue ")]
    over = shortage.needed - shortage.room
    more = ", or use more zones" if cloud_named(cluster.cloud).zonal_subnets else ""
    return f"lower max of {any_of(queues) or 'login_nodes'} so that {over:,} fewer addresses are needed{more}"
