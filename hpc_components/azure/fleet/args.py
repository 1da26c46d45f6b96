from collections.abc import Mapping
from typing import cast

from pulumi import Input

from hpc_components.azure.disks.args import root_disk
from hpc_components.azure.disks.model import root_of
from hpc_components.azure.fleet.component import InfinibandComputeFleetArgs
from hpc_components.azure.fleet.model import AzureQueue, PurchaseKind
from hpc_components.azure.images.args import image_plan, node_image
from hpc_components.azure.ports import Group, Identities, Network, Services
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.boot import user_data
from hpc_components.spec.queue_defaults import fabric_on, purchase_kind, reservation_id


def fleet_args(
    cluster: AzureClusterSpec,
    queue: AzureQueue,
    network: Network,
    identities: Identities,
    services: Services,
    nodes_group: Group,
    tags: Tags,
    proximity_group: Input[str] | None = None,
    images: Mapping[str, Input[str]] | None = None,
) -> InfinibandComputeFleetArgs:
    return InfinibandComputeFleetArgs(
        group=nodes_group,
        queue=queue.name,
        machines=queue.machines,
        network=network,
        zones=cluster.queue_zones(queue),
        max=queue.max,
        min=queue.min,
        purchase=cast(PurchaseKind, purchase_kind(queue)),  # an `AzureQueue` can't have any other kind
        reservation_id=reservation_id(queue),
        max_spot_price=queue.max_spot_price,
        proximity_group=proximity_group,
        # If the first machine has no InfiniBand, its image lacks the drivers, so fallback machines can't use
        # InfiniBand either.
        fabric=queue.fabric if fabric_on(queue) else False,
        scale_set_limit=queue.scale_set_limit,
        availability_set=queue.availability_set,
        smt=queue.smt,
        image=node_image(cluster, queue.machine, queue.image, images or {}),
        image_plan=image_plan(cluster, queue),
        user_data=user_data(cluster.cloud),
        root=root_disk(root_of(queue)),
        ephemeral_root=queue.ephemeral_root,
        admin_user=cluster.admin_user,
        identities=identities,
        services=services,
        tags=tags,
    )
