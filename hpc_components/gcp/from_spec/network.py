"""Arguments of a cluster's network and firewall rules."""

from collections.abc import Iterator, Sequence
from typing import Literal

from pulumi import Input

from hpc_components.catalog import machine
from hpc_components.gcp.catalog.cards import CardKind, card_kinds
from hpc_components.gcp.components.card_networks import NetworkCards
from hpc_components.gcp.components.firewall import FirewallRulesArgs
from hpc_components.gcp.components.vpc import VpcArgs
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.ports import CardSubnet, Identities, Network
from hpc_components.gcp.spec.addresses import Place, plan_subnets
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.network import CardNetwork, GcpExistingNetwork
from hpc_components.gcp.tags import Tags
from hpc_components.spec.queue_defaults import fabric_on

LIKE_NODES: tuple[Place, ...] = ("head", "login")
"""Nodes that use the subnet of the compute nodes if an existing network has no other for them."""


def vpc_args(cluster: GcpClusterSpec, tags: Tags) -> VpcArgs:
    """Return the arguments of a new network."""
    return VpcArgs(
        project=cluster.project,
        region=cluster.region,
        cidr=str(cluster.network.cidr),
        nat=cluster.network.nat,
        mtu=cluster.network.mtu,
        services=needs_services(cluster),
        cards=_cards(cluster),
        retain=not cluster.throw_away,
        tags=tags,
    )


def needs_services(cluster: GcpClusterSpec) -> bool:
    """Return whether the cluster creates a file system, which needs private services access."""
    return any(storage.existing is None for storage in cluster.storage.values())


def _cards(cluster: GcpClusterSpec) -> dict[tuple[str, str], list[NetworkCards]]:
    """Return the additional network cards of machines, by queue and zone."""
    return {
        (queue.name, zone): [
            NetworkCards(nic_type=kind.nic_type, count=kind.count, profile=kind.profile) for kind in kinds
        ]
        for queue in cluster.queues
        for zone in cluster.queue_zones(queue)
        if (kinds := _kinds(queue))
    }


def _kinds(queue: GcpQueue) -> Sequence[CardKind]:
    """Return the additional cards of the queue's machine; fallback machines have the same or none."""
    found = machine(queue.cloud, queue.machine)
    return card_kinds(found) if found is not None and fabric_on(queue) else ()


def firewall_args(
    cluster: GcpClusterSpec, network: Network, head: Identities, login: Identities | None, nodes: Sequence[Identities]
) -> FirewallRulesArgs:
    """Return the arguments of the firewall rules for the cluster's machines."""
    services = None
    if needs_services(cluster) and cluster.network.cidr is not None:
        services = str(plan_subnets(cluster.network.cidr).services)
    return FirewallRulesArgs(
        project=cluster.project,  # a rule: another project's network has rules of its own
        network=network,
        head=head.own.email,
        login=None if login is None else login.own.email,
        nodes=tuple(each.own.email for each in nodes),
        ssh_from=tuple(map(str, cluster.network.ssh_from)),
        ssh_to=tuple(_public_places(cluster)),
        iap=cluster.network.iap,
        services_range=services,
    )


def _public_places(cluster: GcpClusterSpec) -> Iterator[Literal["head", "login"]]:
    """Yield the nodes that `network.ssh_from` may reach: a public head node, and all login nodes."""
    if cluster.head_node.public:
        yield "head"
    if cluster.login_nodes is not None:
        yield "login"


def existing_network(cluster: GcpClusterSpec, existing: GcpExistingNetwork) -> Network:
    """Return an existing network, as components take it."""
    given: dict[Place, Input[str]] = {place: subnet.id for place, subnet in existing.places.items()}
    return Network(
        id=existing.network,
        cidr=str(existing.cidr),
        subnets={**dict.fromkeys(LIKE_NODES, given["nodes"]), **given},
        cards={
            (queue.name, zone): _existing_cards(_kinds(queue), existing.cards.get(zone, ()))
            for queue in cluster.queues
            for zone in cluster.queue_zones(queue)
            if _kinds(queue)
        },
        firewall_rules=existing.firewall_rules,
    )


def _existing_cards(kinds: Sequence[CardKind], networks: Sequence[CardNetwork]) -> tuple[CardSubnet, ...]:
    """Return the subnets of existing networks, in the order of the cards."""
    subnets = [(network.network, subnet.id) for network in networks for subnet in network.subnets]
    cards = [kind for kind in kinds for _ in range(kind.count)]
    return tuple(
        CardSubnet(network=network, subnet=subnet, nic_type=kind.nic_type)
        for kind, (network, subnet) in zip(cards, subnets, strict=False)  # a rule: there is one for each card
    )
