"""Arguments of head node, login nodes and fleets."""

from typing import cast

from pulumi import Input

from hpc_components.azure.catalog.image_plans import purchase_plan
from hpc_components.azure.catalog.images import image_of
from hpc_components.azure.components.compute_fleet import InfinibandComputeFleetArgs
from hpc_components.azure.components.login_node_nlb import LoginNodeNLBArgs
from hpc_components.azure.components.machine_profile import ImagePlan, RootDisk
from hpc_components.azure.components.slurm_head_node import SlurmHeadNodeArgs
from hpc_components.azure.components.state_disk import StateDisk
from hpc_components.azure.ports import FleetRef, Group, Identities, Network, Services
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.nodes import AzureDisk, AzureHeadNode, AzureLoginNodes
from hpc_components.azure.spec.queue_root import root_of
from hpc_components.azure.spec.queues import AzureQueue, PurchaseKind
from hpc_components.azure.tags import Tags
from hpc_components.boot import user_data
from hpc_components.catalog import machine
from hpc_components.spec.addresses import head_address
from hpc_components.spec.queue_defaults import fabric_on, purchase_kind, reservation_id


def image(cluster: AzureClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the given image, or the catalogue's image of the cluster's operating system for this VM size."""
    if own is not None:
        return own
    facts = machine("azure", machine_type)
    found = image_of(cluster.os, facts) if facts else None
    if found is None:
        raise ValueError(
            f"no image of {cluster.os} is known for {machine_type}; name one as image: publisher:offer:sku:version"
        )
    return found.urn


def image_plan(node: AzureHeadNode | AzureLoginNodes | AzureQueue) -> ImagePlan | None:
    """Return the purchase plan of a node's image; None without one."""
    own = node.image_plan
    if own is None:
        return None
    found = purchase_plan(node.image, name=own.name, product=own.product, publisher=own.publisher)
    assert found is not None, "a rule: an image without a URN has a whole plan"
    return ImagePlan(publisher=found.publisher, product=found.product, name=found.name)


def root_disk(disk: AzureDisk) -> RootDisk:
    """Return the root disk of a node."""
    return RootDisk(size_gib=int(disk.size.in_gib), type=disk.type, encryption_set=disk.encryption_set)


def fleet_args(
    cluster: AzureClusterSpec,
    queue: AzureQueue,
    network: Network,
    identities: Identities,
    services: Services,
    nodes_group: Group,
    tags: Tags,
    proximity_group: Input[str] | None = None,
) -> InfinibandComputeFleetArgs:
    """Return the arguments of the fleet of a queue."""
    return InfinibandComputeFleetArgs(
        group=nodes_group,
        queue=queue.name,
        machines=queue.machines,
        network=network,
        zones=cluster.queue_zones(queue),
        max=queue.max,
        min=queue.min,
        purchase=cast(PurchaseKind, purchase_kind(queue)),  # an `AzureQueue` has no other kind
        reservation_id=reservation_id(queue),
        max_spot_price=queue.max_spot_price,
        proximity_group=proximity_group,
        # a fallback machine with InfiniBand gets the first machine's image, which has no drivers for it
        fabric=queue.fabric if fabric_on(queue) else False,
        scale_set_limit=queue.scale_set_limit,
        availability_set=queue.availability_set,
        smt=queue.smt,
        image=image(cluster, queue.machine, queue.image),
        image_plan=image_plan(queue),
        user_data=user_data(cluster.cloud),
        root=root_disk(root_of(queue)),
        ephemeral_root=queue.ephemeral_root,
        admin_user=cluster.admin_user,
        identities=identities,
        services=services,
        tags=tags,
    )


def head_args(
    cluster: AzureClusterSpec,
    network: Network,
    identities: Identities,
    services: Services,
    fleets: tuple[FleetRef, ...],
    group: Group,
    nodes_group: Group,
    tags: Tags,
) -> SlurmHeadNodeArgs:
    """Return the arguments of the head node."""
    head = cluster.head_node
    return SlurmHeadNodeArgs(
        group=group,
        nodes_group=nodes_group,
        machine=head.machine,
        image=image(cluster, head.machine, head.image),
        image_plan=image_plan(head),
        user_data=user_data(cluster.cloud),
        zone=cluster.zone,
        subnet_id=network.subnets["head"],
        private_ip=str(head_address(cluster)),
        security_group_id=network.security_groups.get("head"),
        public=head.public,
        root=root_disk(head.root),
        state=StateDisk(
            size_gib=int(head.state.size.in_gib),
            type=head.state.type,
            iops=head.state.iops,
            throughput=head.state.throughput,
            encryption_set=head.state.encryption_set,
        ),
        admin_user=cluster.admin_user,
        ssh_key=head.ssh_key,
        identities=identities,
        services=services,
        fleets=fleets,
        retain=not cluster.throw_away,
        tags=tags,
    )


def login_args(
    cluster: AzureClusterSpec,
    login: AzureLoginNodes,
    network: Network,
    identities: Identities,
    services: Services,
    group: Group,
    tags: Tags,
) -> LoginNodeNLBArgs:
    """Return the arguments of the login nodes."""
    return LoginNodeNLBArgs(
        group=group,
        machine=login.machine,
        image=image(cluster, login.machine, login.image),
        image_plan=image_plan(login),
        user_data=user_data(cluster.cloud),
        min=login.min,
        max=login.max,
        public=login.public,
        network=network,
        zones=login.zones or (cluster.zone,),
        admin_user=cluster.admin_user,
        ssh_key=login.ssh_key,
        identities=identities,
        services=services,
        root=root_disk(login.root),
        tags=tags,
    )
