"""What a description on Azure names, and what must be true of it."""

from collections.abc import Iterator
from typing import cast

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.catalog.blob_urls import blob_url
from hpc_components.azure.disks.model import disks
from hpc_components.azure.fleet.model import AzureQueue
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.images.args import image, image_plan
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.network.model import AzureExistingNetwork
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import Lustre
from hpc_components.preflight.account import Fact, Named
from hpc_components.preflight.facts import architecture, in_region, network_fit, reservations
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Path
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import image_place, image_users, machine_of_base
from hpc_components.spec.rules.address_count import address_needs

Node = AzureHeadNode | AzureLoginNodes | AzureQueue


def named(cluster: AzureClusterSpec) -> Iterator[Named]:
    yield from _images(cluster)
    if existing := cluster.network.existing:
        yield from _network(cluster, existing)
    yield from reservations(cluster, "a reserved size")
    yield from _accounts(cluster)
    for kind, path, id in _others(cluster):
        yield Named(path=path, kind=kind, id=id, fault=AccountFault.NAMED)
    if cluster.resource_group is not None:
        facts = (in_region(cluster, AccountFault.NAMED, "use a resource group in the cluster's region"),)
        path = ("resource_group",)
        yield Named(
            path=path, kind="resource group", id=cluster.resource_group, fault=AccountFault.NAMED, facts=facts
        )


def _images(cluster: AzureClusterSpec) -> Iterator[Named]:
    for path, node in image_users(cluster):
        machine = machine_of_base(cluster, node.machine, node.image)
        if machine is None:
            continue
        own = cluster.base_of(node.image)
        place = image_place(cluster, path) if own else (*path, "machine")
        id = image(cluster, node.machine, node.image)
        yield Named(path=place, kind="image", id=id, fault=AccountFault.IMAGE, facts=(architecture(machine.arch),))
        if plan := image_plan(cluster, cast(Node, node)):
            id = f"{plan.publisher}:{plan.product}:{plan.name}"
            yield Named(path=place, kind="purchase plan", id=id, fault=AccountFault.TERMS)


def _network(cluster: AzureClusterSpec, existing: AzureExistingNetwork) -> Iterator[Named]:
    at: Path = ("network", "existing")
    fit = in_region(cluster, AccountFault.NETWORK_FIT, "use a network in the cluster's region")
    yield Named(path=(*at, "vnet"), kind="network", id=existing.vnet, fault=AccountFault.NETWORK, facts=(fit,))
    for where, subnet in existing.subnets():
        facts = [network_fit("range", str(subnet.cidr), "write the subnet's own range under cidr")]
        if where == ("netapp",):
            facts.append(
                network_fit(
                    "delegation", "Microsoft.NetApp/volumes", "delegate the subnet to Microsoft.NetApp/volumes"
                )
            )
        if where[0] == "private":
            facts.append(_free_addresses(cluster))
        yield Named(
            path=(*at, *where, "id"), kind="subnet", id=subnet.id, fault=AccountFault.NETWORK, facts=tuple(facts)
        )
    for service, id in existing.dns_zones.items():
        yield Named(path=(*at, "dns_zones", service), kind="private DNS zone", id=id, fault=AccountFault.NETWORK)


def _free_addresses(cluster: AzureClusterSpec) -> Fact:
    return Fact(
        name="number of free addresses",
        wanted=sum(need.addresses for need in address_needs(cluster) if need.places == {cluster.region}),
        fault=AccountFault.ADDRESSES,
        remedy="use a larger subnet, or reduce max of the queues",
    )


def _accounts(cluster: AzureClusterSpec) -> Iterator[Named]:
    """Yield the storage accounts of linked containers, whose resource group is known."""
    for name, system in cluster.storage.items():
        link = system.link if isinstance(system, Lustre) and system.existing is None else None
        group = arm_id(link.resource_group or cluster.resource_group or "", "resource_group") if link else None
        url = blob_url(link.bucket) if link else None
        if group and url:
            yield Named(
                path=("storage", name, "link", "bucket"),
                kind="storage account",
                id=f"{group}/providers/Microsoft.Storage/storageAccounts/{url.account}",
                fault=AccountFault.BUCKET,
                facts=(in_region(cluster, AccountFault.BUCKET_PLACE, "use an account in the cluster's region"),),
            )


def _others(cluster: AzureClusterSpec) -> Iterator[tuple[str, Path, str]]:
    """Yield (kind, path, id) for everything that only has to exist and be usable."""
    for path, node in node_places(cluster):
        if id := getattr(node, "identity", None):
            yield "identity", (*path, "identity"), id
    for use in disks(cluster):
        if use.disk.encryption_set is not None:
            yield "disk encryption set", (*use.path, "encryption_set"), use.disk.encryption_set
    for name, system in cluster.storage.items():
        if isinstance(system, Lustre) and system.existing is None:
            for key, kind in (("encryption_vault", "key vault"), ("encryption_identity", "identity")):
                if id := getattr(system, key):
                    yield kind, ("storage", name, key), id
