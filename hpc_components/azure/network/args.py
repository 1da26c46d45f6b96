from collections.abc import Mapping
from typing import Literal

from pulumi import Input

from hpc_components.azure.lustre.model import Lustre
from hpc_components.azure.network.addresses import Place
from hpc_components.azure.network.component import VpcArgs
from hpc_components.azure.network.model import AzureExistingNetwork, Service
from hpc_components.azure.network.security_groups import SecurityGroupsArgs
from hpc_components.azure.network.security_rules import NODES, Guarded
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags

LIKE_NODES: tuple[Place, ...] = ("head", "login", "endpoints")
"""Places that use the nodes' subnet if an existing network has no separate subnet for them."""


def vpc_args(cluster: AzureClusterSpec, group: Group, tags: Tags) -> VpcArgs:
    network = cluster.network
    return VpcArgs(
        group=group,
        cidr=str(network.cidr),
        nat=network.nat,
        bastion=network.bastion,
        endpoints=network.endpoints,
        login_nodes=cluster.login_nodes is not None,
        storage=storage_places(cluster),
        ssh_from=tuple(map(str, network.ssh_from)),
        ssh_to=ssh_places(cluster),
        builds_images=bool(cluster.images),
        retain=not cluster.throw_away,
        tags=tags,
    )


def ssh_places(cluster: AzureClusterSpec) -> tuple[Guarded, ...]:
    """Return the kinds of nodes that accept SSH from `network.ssh_from`: those with public addresses."""
    public: dict[Guarded, bool] = {
        "head": cluster.head_node.public,
        "login": cluster.login_nodes is not None and cluster.login_nodes.public,
    }
    return tuple(place for place, is_public in public.items() if is_public)


def storage_places(cluster: AzureClusterSpec) -> tuple[Literal["lustre", "netapp"], ...]:
    new = [storage for storage in cluster.storage.values() if storage.existing is None]
    lustre = any(isinstance(storage, Lustre) for storage in new)
    netapp = any(not isinstance(storage, Lustre) and storage.service == "netapp" for storage in new)
    return (*(["lustre"] if lustre else []), *(["netapp"] if netapp else []))


def security_groups_args(
    cluster: AzureClusterSpec, existing: AzureExistingNetwork, group: Group, tags: Tags
) -> SecurityGroupsArgs:
    places: tuple[Place, ...] = (*NODES, *(place for place in existing.places if place not in NODES))
    return SecurityGroupsArgs(
        group=group,
        ranges={place: str(cluster.subnet(place)) for place in places},
        guarded=NODES,
        ssh_from=tuple(map(str, cluster.network.ssh_from)),
        ssh_to=ssh_places(cluster),
        tags=tags,
    )


def existing_network(
    existing: AzureExistingNetwork, groups: Mapping[Place, Input[str]], zones: Mapping[Service, Input[str]]
) -> Network:
    given: dict[Place, Input[str]] = {place: subnet.id for place, subnet in existing.places.items()}
    return Network(
        id=existing.vnet,
        cidr=str(existing.cidr),
        subnets={**dict.fromkeys(LIKE_NODES, given["nodes"]), **given},
        security_groups=groups,
        private_zones=zones,
    )
