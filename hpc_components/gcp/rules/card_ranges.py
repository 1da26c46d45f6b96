"""Rules on the address ranges of additional network cards."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from hpc_components.gcp.rules._cards import CARDS, carded, ranges
from hpc_components.gcp.spec.addresses import plan_subnets
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

_RESERVED_ADDRESSES = 4
"""Number of addresses of a subnet that Google reserves. Source: VPC documentation, "Subnets", unusable addresses."""


@rule("HPC-RDM-005", Level.ERROR)
def cards_of_one_machine(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The subnets of a machine's network cards do not overlap, even in different networks.

    Google creates no machine with two cards in the same range. Networks of different zones may use the same ranges.
    Source: Compute Engine documentation, "Multiple network interfaces", subnet ranges must not overlap.
    """
    existing = cluster.network.existing
    for zone in existing.cards if existing else ():
        for (_, one, first), (path, other, _) in combinations(ranges(cluster, zone), 2):
            if one.cidr.overlaps(other.cidr):
                yield Problem(
                    path=(*path, "cidr"),
                    value=str(other.cidr),
                    reason=f"{other.cidr} overlaps {one.cidr} of {first}, and a machine has a card in each",
                    remedy="name a subnet with another range",
                )


@rule("HPC-RDM-006", Level.ERROR)
def addresses_for_cards(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The subnet of each additional card has an address for every machine with such a card.

    Google reserves four addresses of a subnet. In a network of the cluster's own, each card has a 128th of the
    range: a /27 of a /20. Source: VPC documentation, "Subnets", unusable addresses; the address plan of
    `spec/addresses.py`.
    """
    existing, cidr = cluster.network.existing, cluster.network.cidr
    for zone, by_queue in _needs(cluster):
        needed = sum(by_queue.values())
        text = " + ".join(f"queue {name} {count}" for name, count in by_queue.items())
        if existing is not None:
            yield from _in_existing(cluster, zone, needed, text)
        elif cidr is not None and 16 <= cidr.prefixlen <= 20 and needed > (room := _room(cidr)):
            wider = (cidr.supernet(new_prefix=prefix) for prefix in range(cidr.prefixlen - 1, 15, -1))
            fits = next((larger for larger in wider if _room(larger) >= needed), None)
            yield Problem(
                path=("network", "cidr"),
                value=str(cidr),
                reason=f"the subnet of each additional network card has {room} addresses in {cidr}, and {needed}"
                f" machines in {zone} need one: {text}",
                remedy=f"use a /{fits.prefixlen}: {fits}"
                if fits
                else f"lower max of {any_of(by_queue)} by {needed - room} in all",
            )


def _needs(cluster: GcpClusterSpec) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield each zone with its machines by queue that share networks for their cards; of several groups, the
    largest."""
    needs: dict[str, dict[str | None, dict[str, int]]] = {}
    for each in carded(cluster):
        for kind in each.kinds:
            by_queue = needs.setdefault(each.zone, {}).setdefault(kind.profile, {})
            by_queue[each.queue.name] = each.queue.max
    for zone, by_profile in needs.items():
        yield zone, max(by_profile.values(), key=lambda by_queue: sum(by_queue.values()))


def _in_existing(cluster: GcpClusterSpec, zone: str, needed: int, text: str) -> Iterator[Problem]:
    for path, subnet, _ in ranges(cluster, zone):
        room = subnet.cidr.num_addresses - _RESERVED_ADDRESSES
        if path[:3] == CARDS and room < needed:
            prefix = 32 - (needed + _RESERVED_ADDRESSES - 1).bit_length()
            yield Problem(
                path=(*path, "cidr"),
                value=str(subnet.cidr),
                reason=f"{subnet.cidr} has {max(room, 0)} addresses for cards, and {needed} machines need one:"
                f" {text}",
                remedy=f"name a subnet of at least a /{prefix}",
            )


def _room(cidr: IPv4Network) -> int:
    """Return the number of addresses for machines in the subnet of one card, in a network with that range."""
    return plan_subnets(cidr).cards[0].num_addresses - _RESERVED_ADDRESSES
