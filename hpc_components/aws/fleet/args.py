from collections.abc import Mapping
from typing import cast

from pulumi import Input

from hpc_components.aws.disks.args import root_disk
from hpc_components.aws.disks.model import root_of
from hpc_components.aws.fleet.component import EfaComputeFleetArgs
from hpc_components.aws.fleet.model import AwsQueue, PurchaseKind
from hpc_components.aws.images.args import node_image
from hpc_components.aws.ports import ConfigStore, Identities, Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.boot import user_data
from hpc_components.spec.queue_defaults import purchase_kind, reservation_id


def fleet_args(
    cluster: AwsClusterSpec,
    queue: AwsQueue,
    network: Network,
    identities: Identities,
    config: ConfigStore,
    tags: Tags,
    placement_group: Input[str] | None,
    images: Mapping[str, Input[str]] | None = None,
) -> EfaComputeFleetArgs:
    return EfaComputeFleetArgs(
        queue=queue.name,
        machines=queue.machines,
        network=network,
        zones=cluster.queue_zones(queue),
        max=queue.max,
        min=queue.min,
        purchase=cast(PurchaseKind, purchase_kind(queue)),  # `AwsQueue` allows only these values
        reservation_id=reservation_id(queue),
        max_spot_price=queue.max_spot_price,
        placement_group=placement_group,
        efa=queue.fabric,
        smt=queue.smt,
        image=node_image(cluster, queue.machine, queue.image, images or {}),
        user_data=user_data(cluster.cloud),
        root=root_disk(cluster, root_of(queue)),
        config=config,
        identities=identities,
        tags=tags,
    )
