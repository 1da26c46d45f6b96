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
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import image_place, image_users, machine_of_base
from hpc_components.spec.queues import Reserved
from hpc_components.spec.rules.address_count import address_needs

Node = AzureHeadNode | AzureLoginNodes | AzureQueue


def named(cluster: AzureClusterSpec) -> Iterator[Named]:
    yield from _images(cluster)
    if existing := cluster.network.existing:
        yield from _network(cluster, existing)
    yield from _reservations(cluster)
    yield from _accounts(cluster)
    for kind, path, id in _others(cluster):
        yield Named(path=path, kind=kind, id=id, fault=AccountFault.NAMED)
    if cluster.resource_group is not None:
        facts = (_in_region(cluster, AccountFault.NAMED, "use a resource group in the cluster's region"),)
        path = ("resource_group",)
        yield Named(
            path=path, kind="resource group", id=cluster.resource_group, fault=AccountFault.NAMED, facts=facts
        )


def _in_region(cluster: AzureClusterSpec, fault: AccountFault, remedy: str) -> Fact:
    return Fact(name="region", wanted=cluster.region, fault=fault, remedy=remedy)


def _images(cluster: AzureClusterSpec) -> Iterator[Named]:
    for path, node in image_users(cluster):
        machine = machine_of_base(cluster, node.machine, node.image)
        if machine is None:
            continue
        own = cluster.base_of(node.image)
        place = image_place(cluster, path) if own else (*path, "machine")
        fit = Fact(
            name="architecture",
            wanted=machine.arch,
            fault=AccountFault.IMAGE_FIT,
            remedy=f"use an image for {machine.arch}, or a machine type that suits the image",
        )
        id = image(cluster, node.machine, node.image)
        yield Named(path=place, kind="image", id=id, fault=AccountFault.IMAGE, facts=(fit,))
        if plan := image_plan(cluster, cast(Node, node)):
            id = f"{plan.publisher}:{plan.product}:{plan.name}"
            yield Named(path=place, kind="purchase plan", id=id, fault=AccountFault.TERMS)


def _network(cluster: AzureClusterSpec, existing: AzureExistingNetwork) -> Iterator[Named]:
    at: Path = ("network", "existing")
    fit = _in_region(cluster, AccountFault.NETWORK_FIT, "use a network in the cluster's region")
    yield Named(path=(*at, "vnet"), kind="network", id=existing.vnet, fault=AccountFault.NETWORK, facts=(fit,))
    for where, subnet in existing.subnets():
        facts = [_fit("range", str(subnet.cidr), "write the subnet's own range under cidr")]
        if where == ("netapp",):
            facts.append(
                _fit("delegation", "Microsoft.NetApp/volumes", "delegate the subnet to Microsoft.NetApp/volumes")
            )
        if where[0] == "private":
            facts.append(_free_addresses(cluster))
        yield Named(
            path=(*at, *where, "id"), kind="subnet", id=subnet.id, fault=AccountFault.NETWORK, facts=tuple(facts)
        )
    for service, id in existing.dns_zones.items():
        yield Named(path=(*at, "dns_zones", service), kind="private DNS zone", id=id, fault=AccountFault.NETWORK)


def _fit(name: str, wanted: str, remedy: str) -> Fact:
    return Fact(name=name, wanted=wanted, fault=AccountFault.NETWORK_FIT, remedy=remedy)


def _free_addresses(cluster: AzureClusterSpec) -> Fact:
    return Fact(
        name="number of free addresses",
        wanted=sum(need.addresses for need in address_needs(cluster) if need.places == {cluster.region}),
        fault=AccountFault.ADDRESSES,
        remedy="use a larger subnet, or reduce max of the queues",
    )


def _reservations(cluster: AzureClusterSpec) -> Iterator[Named]:
    for index, queue in enumerate(cluster.queues):
        if not isinstance(queue.purchase, Reserved):
            continue
        facts = (
            _reserved("machine type", queue.machines, "set machine to a reserved size"),
            _reserved("zone", cluster.queue_zones(queue), "set zones to the reservation's zone"),
            _reserved("number of machines", queue.max, "reduce max, or enlarge the reservation", Level.WARNING),
        )
        path = ("queues", index, "purchase", queue.purchase.kind)
        id = queue.purchase.id
        yield Named(path=path, kind="reservation", id=id, fault=AccountFault.RESERVATION, facts=facts)


def _reserved(name: str, wanted: object, remedy: str, level: Level | None = None) -> Fact:
    return Fact(name=name, wanted=wanted, fault=AccountFault.RESERVATION_FIT, remedy=remedy, level=level)


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
                facts=(_in_region(cluster, AccountFault.BUCKET_PLACE, "use an account in the cluster's region"),),
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
