from collections.abc import Mapping
from typing import cast

from pulumi import Input

from hpc_components.boot import user_data
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.disks.args import root_disk
from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.gcp.fleet.component import CompactComputeFleetArgs
from hpc_components.gcp.fleet.model import GcpQueue, PurchaseKind, Reservation
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.images.args import node_image, run_by_agent
from hpc_components.gcp.placement.args import compact_placement
from hpc_components.gcp.ports import Identities, Network, Services
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.spec.queue_defaults import purchase_kind, reservation_id, root_size


def fleet_args(
    cluster: GcpClusterSpec,
    queue: GcpQueue,
    network: Network,
    identities: Identities,
    services: Services,
    tags: Tags,
    policy: Input[str] | None = None,
    images: Mapping[str, Input[str]] | None = None,
) -> CompactComputeFleetArgs:
    """`policy` is the queue's spread policy, if it has one."""
    return CompactComputeFleetArgs(
        project=cluster.project,
        queue=queue.name,
        machines=queue.machines,
        network=network,
        zones=cluster.queue_zones(queue),
        max=queue.max,
        min=queue.min,
        purchase=cast(PurchaseKind, purchase_kind(queue)),  # `GcpQueue` allows only these kinds
        reservation=reservation_id(queue),
        bound=queue.purchase.bound if isinstance(queue.purchase, Reservation) else None,
        max_run_seconds=None if queue.max_run is None else int(queue.max_run.seconds),
        placement=compact_placement(queue),
        spread=None if policy is None else service_limit("spread.domains"),
        policy=policy,
        fabric=queue.fabric,
        tier_1=queue.tier_1,
        smt=queue.smt,
        image=node_image(cluster, queue.machine, queue.image, images or {}),
        user_data=user_data(cluster.cloud),
        run_by_agent=run_by_agent(cluster),
        root=root_disk(queue.root or GcpDisk(size=root_size(queue))),
        login=Login(os_login=cluster.os_login, admin_user=cluster.admin_user),
        identities=identities,
        services=services,
        tags=tags,
    )
