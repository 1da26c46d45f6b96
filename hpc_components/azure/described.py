"""Makes the parts of a described cluster: each function takes one entry of the description."""

from collections.abc import Collection
from dataclasses import replace

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input
from pulumi import ResourceOptions as Options

from hpc_components.azure import from_spec as to
from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.components.compute_fleet import InfinibandComputeFleet
from hpc_components.azure.components.data_bucket import DataBucket
from hpc_components.azure.components.endpoints import PrivateZones
from hpc_components.azure.components.home_filesystem import HomeFilesystem
from hpc_components.azure.components.lustre_filesystem import LustreFilesystem
from hpc_components.azure.components.node_identity import NodeIdentity
from hpc_components.azure.components.placement_group import PlacementGroup, PlacementGroupArgs
from hpc_components.azure.components.security_groups import SecurityGroups
from hpc_components.azure.components.vpc import Vpc
from hpc_components.azure.ports import BucketRef, Group, Identities, Identity, Network, Services
from hpc_components.azure.spec.addresses import Place
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.network import AzureExistingNetwork, Service
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.azure.spec.storage import AnyBucket, AnyFileSystem, Lustre
from hpc_components.azure.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.queue_defaults import fabric_on, placement

__all__ = [
    "after", "make_bucket", "make_fleet", "make_group", "make_identities", "make_mount", "make_network",
    "make_queue_identities",
]  # fmt: skip


def after(opts: Options, *resources: pulumi.Resource) -> Options:
    """`opts`, to be made after `resources` and destroyed before them."""
    return Options.merge(opts, Options(depends_on=list(resources)))


def make_group(cluster: AzureClusterSpec, tags: Tags, opts: Options) -> Group:
    """The cluster's resource group. It stays as long as something in it does: deleting it would delete all."""
    if cluster.resource_group is not None:
        found = arm_id(cluster.resource_group, "resource_group")
        assert found is not None, "a rule: it is the id of a resource group"
        return Group(name=found.group, id=cluster.resource_group, location=cluster.region)
    kept = Options(protect=not cluster.throw_away, retain_on_delete=not cluster.throw_away)
    made = azure_native.resources.ResourceGroup(
        cluster.name,
        resource_group_name=cluster.name,
        location=cluster.region,
        tags=tags.of(cluster.name),
        opts=Options.merge(opts, kept),
    )
    return Group(name=made.name, id=made.id, location=cluster.region)


def make_network(
    cluster: AzureClusterSpec, group: Group, tags: Tags, opts: Options
) -> tuple[Network, list[pulumi.Resource]]:
    """The network, and what of it is ours."""
    if cluster.network.existing is not None:
        return _adopt_network(cluster, cluster.network.existing, group, tags, opts)
    vpc = Vpc(cluster.name, to.vpc_args(cluster, group, tags), opts)
    return vpc.network, [vpc]


def _adopt_network(
    cluster: AzureClusterSpec, existing: AzureExistingNetwork, group: Group, tags: Tags, opts: Options
) -> tuple[Network, list[pulumi.Resource]]:
    """The user's network as components take it, and what was added to it."""
    wanted = cluster.network.endpoints
    zones: dict[Service, Input[str]] = {each: id for each, id in existing.dns_zones.items() if each in wanted}
    guards: dict[Place, Input[str]] = {}
    added: list[pulumi.Resource] = []
    if made := [each for each in wanted if each not in zones]:
        own = PrivateZones(cluster.name, made, group=group, network_id=existing.vnet, tags=tags, opts=opts)
        zones |= own.ids
        added.append(own)
    if existing.security_groups:
        groups = SecurityGroups(cluster.name, to.security_groups_args(cluster, existing, group, tags), opts)
        guards |= groups.ids
        added.append(groups)
    return to.existing_network(existing, guards, zones), added


def make_identities(
    cluster: AzureClusterSpec,
    place: str,
    own: str | None,
    buckets: Collection[BucketRef],
    group: Group,
    tags: Tags,
    opts: Options,
    *,
    people: str | None,
) -> tuple[Identities, Input[str], list[pulumi.Resource]]:
    """The identities of the nodes at `place`, their tenant, and what of them is ours.

    `own` is the id of one of the user's, which gets no roles. `people`: where the people or jobs on the nodes are, as
    buckets name it; None if there are none.
    """
    name = f"{cluster.name}-{place}"
    if own is None:
        made = NodeIdentity(name, to.identity_args(cluster, people, buckets, group, tags), opts)
        return made.identities, made.tenant_id, [made]
    found = azure_native.managedidentity.UserAssignedIdentity.get(f"{name}-existing-identity", own, opts=opts)
    return Identities(own=Identity(id=own, client_id=found.client_id)), found.tenant_id, []


def make_queue_identities(
    cluster: AzureClusterSpec,
    queue: AzureQueue,
    buckets: Collection[BucketRef],
    group: Group,
    tags: Tags,
    opts: Options,
) -> tuple[Identities, list[pulumi.Resource]]:
    """The identities of a queue's nodes, and what of them is ours.

    One of the user's is for jobs: nodes lend it, and boot with one of ours, since whoever has the tokens of that can
    read the munge key.
    """
    shared = buckets, group, tags, opts
    people = queue.name if queue.identity is None else None
    identities, _, ours = make_identities(cluster, queue.name, None, *shared, people=people)
    if queue.identity is None:
        return identities, ours
    name = f"{cluster.name}-{queue.name}-existing-identity"
    found = azure_native.managedidentity.UserAssignedIdentity.get(name, queue.identity, opts=opts)
    return replace(identities, lent=Identity(id=queue.identity, client_id=found.client_id)), ours


def make_mount(
    cluster: AzureClusterSpec,
    key: str,
    storage: AnyFileSystem,
    network: Network,
    group: Group,
    tags: Tags,
    opts: Options,
) -> tuple[FileSystemMount, list[pulumi.Resource]]:
    """A file system as nodes mount it, and what of it is ours."""
    name = f"{cluster.name}-{key}"
    if storage.existing is not None:
        return to.existing_mount(key, storage), []
    if isinstance(storage, Lustre):
        made = LustreFilesystem(name, to.lustre_args(cluster, storage, network, group, tags), opts)
    else:
        made = HomeFilesystem(name, to.home_args(cluster, storage, network, group, tags), opts)
    return made.mount, [made]


def make_bucket(
    cluster: AzureClusterSpec, key: str, bucket: AnyBucket, network: Network, group: Group, tags: Tags, opts: Options
) -> BucketRef:
    """A container that moves objects to colder storage."""
    return DataBucket(f"{cluster.name}-{key}", to.bucket_args(cluster, bucket, network, group, tags), opts).bucket(
        key
    )


def make_fleet(
    cluster: AzureClusterSpec,
    queue: AzureQueue,
    network: Network,
    identities: Identities,
    services: Services,
    nodes_group: Group,
    tags: Tags,
    opts: Options,
) -> InfinibandComputeFleet:
    """The machines of one queue, close together if they are to be."""
    name, near = f"{cluster.name}-{queue.name}", None
    if placement(queue) == "cluster" and not fabric_on(queue):
        zones = cluster.queue_zones(queue)
        zone = zones[0] if len(zones) == 1 else None
        # it goes with its resource group, as the scale sets that hold it do
        group_args = PlacementGroupArgs(group=nodes_group, zone=zone, machines=queue.machines, tags=tags)
        near = PlacementGroup(name, group_args, Options.merge(opts, Options(retain_on_delete=True))).group_id
    args = to.fleet_args(cluster, queue, network, identities, services, nodes_group, tags, near)
    return InfinibandComputeFleet(name, args, opts)
