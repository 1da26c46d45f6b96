from pulumi import Input

from hpc_components.gcp.network.addresses import Place
from hpc_components.gcp.network.component import VpcArgs
from hpc_components.gcp.network.model import GcpExistingNetwork
from hpc_components.gcp.network_cards.args import card_networks, existing_cards, queue_cards
from hpc_components.gcp.ports import Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags

LIKE_NODES: tuple[Place, ...] = ("head", "login")
"""Kinds of nodes that share the compute nodes' subnet if an existing network has no separate subnet for them."""


def vpc_args(cluster: GcpClusterSpec, tags: Tags) -> VpcArgs:
    return VpcArgs(
        project=cluster.project,
        region=cluster.region,
        cidr=str(cluster.network.cidr),
        nat=cluster.network.nat,
        mtu=cluster.network.mtu,
        services=needs_services(cluster),
        cards=card_networks(cluster),
        retain=not cluster.throw_away,
        tags=tags,
    )


def needs_services(cluster: GcpClusterSpec) -> bool:
    """Return whether the cluster creates a file system, which needs private services access."""
    return any(storage.existing is None for storage in cluster.storage.values())


def existing_network(cluster: GcpClusterSpec, existing: GcpExistingNetwork) -> Network:
    given: dict[Place, Input[str]] = {place: subnet.id for place, subnet in existing.places.items()}
    return Network(
        id=existing.network,
        cidr=str(existing.cidr),
        subnets={**dict.fromkeys(LIKE_NODES, given["nodes"]), **given},
        cards={
            (queue.name, zone): existing_cards(queue_cards(queue), existing.cards.get(zone, ()))
            for queue in cluster.queues
            for zone in cluster.queue_zones(queue)
            if queue_cards(queue)
        },
        firewall_rules=existing.firewall_rules,
    )
