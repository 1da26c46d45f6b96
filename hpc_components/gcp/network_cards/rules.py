from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from hpc_components.catalog import Machine
from hpc_components.gcp.catalog.resource_ids import wrong_id
from hpc_components.gcp.catalog.zones import region_of
from hpc_components.gcp.network.addresses import plan_subnets
from hpc_components.gcp.network.model import CardNetwork
from hpc_components.gcp.network_cards.card_kinds import card_count, card_kinds, network_profile, profile_zones
from hpc_components.gcp.network_cards.carded_queues import CARDS, carded, ranges
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, queue_machines
from hpc_components.wording import any_of, plural


@rule("HPC-RDM-001", Level.WARNING)
def profile_in_zone(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Machines with RDMA must be in a zone that has the network profile for their cards.

    H4D needs `<zone>-vpc-falcon`; A3 Ultra and A4 need `<zone>-vpc-roce`. The finding is only a warning, because
    Google may have added zones since our list was made. Source: VPC documentation, "RDMA network profiles", supported
    zones.
    """
    for each in carded(cluster):
        for kind in each.kinds:
            profile = network_profile(kind, each.zone)
            known = profile_zones(kind.profile) if kind.profile else ()
            if profile is None or each.zone in known:
                continue
            near = [zone for zone in known if region_of(zone) == cluster.region]
            yield Problem(
                path=each.path,
                value=each.machine.name,
                reason=f"the machine's cards need the network profile {profile}, but no source confirms that it "
                "exists",
                remedy=(f"use zones: [{near[0]}], or check with" if near else "check with")
                + " this command whether the profile exists: gcloud compute network-profiles list --project "
                f"{cluster.project}",
            )


@rule("HPC-RDM-002", Level.ERROR)
def networks_for_cards(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """With an existing network, specify networks for additional cards in each zone that needs them.

    Each of a machine's cards must be in a separate network; only RDMA cards can share one. A cluster that uses an
    existing network doesn't create these networks, so you have to provide them.
    Source: Compute Engine documentation, "Multiple network interfaces"; VPC documentation, "RDMA network profiles".
    """
    existing, told = cluster.network.existing, set[tuple[str, str]]()
    for each in carded(cluster) if existing else ():
        if existing is None or each.zone in existing.cards or (each.queue.name, each.zone) in told:
            continue
        told.add((each.queue.name, each.zone))
        cards = plural(sum(each.networks), "additional card")
        yield Problem(
            path=each.path,
            value=each.machine.name,
            reason=f"the machine has {cards}, but network.existing.cards lists no networks for them in {each.zone}",
            remedy=f"add network.existing.cards: {{{each.zone}: [{{network: projects/..., subnets: [{{id: ...,"
            f" cidr: ...}}]}}]}} with {each.wanted}"
            + (", or use fabric: false" if each.machine.fabric and each.machine.gpu is None else ""),
        )


@rule("HPC-RDM-003", Level.ERROR)
def as_many_as_cards(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Specify one subnet per additional card, in as many networks as the machine needs.

    Source: Compute Engine documentation, "Multiple network interfaces"; VPC documentation, "RDMA network profiles".
    """
    existing, told = cluster.network.existing, set[str]()
    for each in carded(cluster) if existing else ():
        given = existing.cards.get(each.zone) if existing else None
        if given is None or each.zone in told:
            continue
        has = tuple(len(network.subnets) for network in given)
        if has != each.networks:
            told.add(each.zone)
            yield Problem(
                path=(*CARDS, each.zone),
                value=len(given),
                reason=f"the numbers of subnets per network are [{_listed(has)}], but machine {each.machine.name} "
                f"of queue {each.queue.name} needs [{_listed(each.networks)}]",
                remedy=f"specify {each.wanted}, in this order",
            )


@rule("HPC-RDM-004", Level.ERROR)
def card_ids(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Networks for additional cards must be listed once per zone, with valid ids and subnets in the region.

    Source: Compute Engine documentation, "Multiple network interfaces": each card must be in a separate network.
    """
    existing = cluster.network.existing
    for zone, networks in existing.cards.items() if existing else ():
        seen = {existing.network: "the network of the nodes' first card"} if existing else {}
        for number, network in enumerate(networks):
            at = (*CARDS, zone, number, "network")
            if wrong := wrong_id("network", network.network):
                yield Problem(path=at, value=network.network, reason=wrong[0], remedy=wrong[1])
            elif network.network in seen:
                yield Problem(
                    path=at,
                    value=network.network,
                    reason=f"this network is also {seen[network.network]}, but each card needs a separate network",
                    remedy="use a different network; for RDMA, list all subnets under one network",
                )
            seen.setdefault(network.network, f"networks[{number}] of {zone}")
            yield from _subnet_ids(cluster, zone, number, network)


@rule("HPC-RDM-007", Level.WARNING)
def unused_card_networks(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Specify networks for additional cards only in zones whose machines have such cards.

    Source: Compute Engine documentation, "Multiple network interfaces".
    """
    existing = cluster.network.existing
    used = {each.zone for each in carded(cluster)}
    for zone in existing.cards if existing else ():
        if zone not in used:
            yield Problem(
                path=(*CARDS, zone),
                reason=f"no queue has machines with additional cards in {zone}",
                remedy="remove this zone's networks, or add a queue with such machines in the zone",
            )


@rule("HPC-RDM-008", Level.INFO)
def profile_of_existing(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing network for RDMA must have the network profile for its zone.

    This can't be checked here: a profile is set when a network is created, and the network's id doesn't show it.
    Source: VPC documentation, "RDMA network profiles".
    """
    existing, told = cluster.network.existing, set[str]()
    for each in carded(cluster) if existing else ():
        profile = next((kind.profile for kind in each.kinds if kind.profile), None)
        if existing and profile and each.zone in existing.cards and each.zone not in told:
            told.add(each.zone)
            yield Problem(
                path=(*CARDS, each.zone),
                reason=f"the network for RDMA must have the profile {each.zone}-{profile}, but the profile can't be "
                "checked here",
                remedy="check the network's profile with: gcloud compute networks describe <network> --format "
                "'value(networkProfile)'",
            )


@rule("HPC-RDM-009", Level.ERROR)
def cards_of_fallback(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Fallback machines must have the same additional network cards as the queue's main machine type.

    The networks are created to match the main machine type's cards. Source: Compute Engine documentation, "Multiple
    network interfaces"; `network_cards/` in this package.
    """
    for index, queue in enumerate(cluster.queues):
        main = facts(cluster, queue.machine)
        if main is None or not fabric_on(queue):
            continue
        for path, other in queue_machines(index, queue):
            if card_kinds(other) and card_kinds(other) != card_kinds(main):
                yield Problem(
                    path=path,
                    value=other.name,
                    reason=f"{other.name} has {_cards(other)}, but {main.name} has {_cards(main)}",
                    remedy="move this machine type to a separate queue",
                )


def _subnet_ids(cluster: GcpClusterSpec, zone: str, number: int, network: CardNetwork) -> Iterator[Problem]:
    for index, subnet in enumerate(network.subnets):
        if wrong := wrong_id("subnet", subnet.id, cluster.region):
            at = (*CARDS, zone, number, "subnets", index, "id")
            yield Problem(path=at, value=subnet.id, reason=wrong[0], remedy=wrong[1])


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers)) or "none"


def _cards(machine: Machine) -> str:
    kinds = "+".join(kind.nic_type for kind in card_kinds(machine))
    return f"{plural(card_count(machine), 'additional network card')} ({kinds})"


_RESERVED_ADDRESSES = 4
"""Number of addresses that Google reserves in each subnet. Source: VPC documentation, "Subnets", unusable
addresses."""


@rule("HPC-RDM-005", Level.ERROR)
def cards_of_one_machine(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The subnets of a machine's network cards must not overlap, even if they are in different networks.

    Google refuses to create a machine with two cards in the same range. Networks in different zones may use the same
    ranges.
    Source: Compute Engine documentation, "Multiple network interfaces", subnet ranges must not overlap.
    """
    existing = cluster.network.existing
    for zone in existing.cards if existing else ():
        for (_, one, first), (path, other, _) in combinations(ranges(cluster, zone), 2):
            if one.cidr.overlaps(other.cidr):
                yield Problem(
                    path=(*path, "cidr"),
                    value=str(other.cidr),
                    reason=f"{other.cidr} overlaps {one.cidr} ({first}), but each machine has a card in both",
                    remedy="use a subnet with a different range",
                )


@rule("HPC-RDM-006", Level.ERROR)
def addresses_for_cards(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The subnet of each additional card must have an address for every machine that uses the subnet.

    Google reserves four addresses in each subnet. In a network that the cluster creates, each card's subnet is a
    128th of the range, e.g. a /27 of a /20. Source: VPC documentation, "Subnets", unusable addresses; address plan in
    `network/addresses.py`.
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
                reason=f"with {cidr}, the subnet of each additional network card has {room} addresses, but {needed} "
                f"machines in {zone} need one each: {text}",
                remedy=f"use a /{fits.prefixlen}: {fits}"
                if fits
                else f"lower max of {any_of(by_queue)} by a total of {needed - room}",
            )


def _needs(cluster: GcpClusterSpec) -> Iterator[tuple[str, dict[str, int]]]:
    """For each zone, yield the largest group of machines whose cards share networks, as (zone, machine count per
    queue).
    """
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
                reason=f"{subnet.cidr} has {max(room, 0)} addresses for cards, but {needed} machines need one each: "
                f"{text}",
                remedy=f"use a subnet that is at least a /{prefix}",
            )


def _room(cidr: IPv4Network) -> int:
    return plan_subnets(cidr).cards[0].num_addresses - _RESERVED_ADDRESSES
