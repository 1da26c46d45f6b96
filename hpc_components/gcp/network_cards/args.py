from collections.abc import Sequence

from hpc_components.catalog import machine
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.network.model import CardNetwork
from hpc_components.gcp.network_cards.card_kinds import CardKind, card_kinds
from hpc_components.gcp.network_cards.card_networks import NetworkCards
from hpc_components.gcp.ports import CardSubnet
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.queue_defaults import fabric_on


def card_networks(cluster: GcpClusterSpec) -> dict[tuple[str, str], list[NetworkCards]]:
    return {
        (queue.name, zone): [
            NetworkCards(nic_type=kind.nic_type, count=kind.count, profile=kind.profile) for kind in kinds
        ]
        for queue in cluster.queues
        for zone in cluster.queue_zones(queue)
        if (kinds := queue_cards(queue))
    }


def queue_cards(queue: GcpQueue) -> Sequence[CardKind]:
    """Return the additional cards of the queue's machine. Fallback machines have the same cards or none."""
    found = machine(queue.cloud, queue.machine)
    return card_kinds(found) if found is not None and fabric_on(queue) else ()


def existing_cards(kinds: Sequence[CardKind], networks: Sequence[CardNetwork]) -> tuple[CardSubnet, ...]:
    subnets = [(network.network, subnet.id) for network in networks for subnet in network.subnets]
    cards = [kind for kind in kinds for _ in range(kind.count)]
    return tuple(
        CardSubnet(network=network, subnet=subnet, nic_type=kind.nic_type)
        for kind, (network, subnet) in zip(cards, subnets, strict=False)  # a rule requires one subnet per card
    )
