"""Arguments of head node, login nodes and fleets."""

from collections.abc import Collection
from typing import cast

from pulumi import Input

from hpc_components.boot import user_data
from hpc_components.catalog import machine
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.placement import most_in_policy
from hpc_components.gcp.components.compute_fleet import CompactComputeFleetArgs
from hpc_components.gcp.components.login_node_nlb import LoginNodeNLBArgs
from hpc_components.gcp.components.node_identity import NodeIdentityArgs
from hpc_components.gcp.components.node_metadata import Login
from hpc_components.gcp.components.placement_group import PlacementGroupArgs
from hpc_components.gcp.components.slurm_head_node import SlurmHeadNodeArgs
from hpc_components.gcp.disks.args import root_disk, state_disk
from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.gcp.images.offer import image_of
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.lustre_client.packages import lustre_client
from hpc_components.gcp.ports import (
    BucketAccess,
    BucketRef,
    CompactPlacement,
    FleetRef,
    Identities,
    Network,
    Services,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.nodes import GcpLoginNodes
from hpc_components.gcp.spec.queues import GcpQueue, PurchaseKind, Reservation
from hpc_components.gcp.tags import Tags
from hpc_components.spec.addresses import head_address
from hpc_components.spec.bucket_access import bucket_access
from hpc_components.spec.queue_defaults import placement, purchase_kind, reservation_id, root_size


def identity_args(cluster: GcpClusterSpec, place: str | None, buckets: Collection[BucketRef]) -> NodeIdentityArgs:
    """Return the arguments of the service accounts of a queue or the login nodes; None for nodes without users."""
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    access = BucketAccess(read=read, write=write) if read or write else None
    return NodeIdentityArgs(project=cluster.project, buckets=access)


def image(cluster: GcpClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the given image, or the default for the machine, with a kernel that the Lustre client supports."""
    if own is not None:
        return own
    facts = machine("gcp", machine_type)
    client = lustre_client(cluster.os) if any(isinstance(each, Lustre) for each in cluster.storage.values()) else None
    found = image_of(cluster.os, facts, client.kernel if client else None) if facts else None
    if found is None:
        raise ValueError(
            f"the catalogue has no image of {cluster.os} for {machine_type}; name one as image:"
            " projects/<project>/global/images/<name>"
        )
    return found.id


def placement_args(cluster: GcpClusterSpec, tags: Tags) -> PlacementGroupArgs:
    """Return the arguments of a spread placement policy."""
    return PlacementGroupArgs(
        project=cluster.project, region=cluster.region, spread=service_limit("spread.domains"), tags=tags
    )


def fleet_args(
    cluster: GcpClusterSpec,
    queue: GcpQueue,
    network: Network,
    identities: Identities,
    services: Services,
    tags: Tags,
    policy: Input[str] | None = None,
) -> CompactComputeFleetArgs:
    """Return the arguments of the fleet of one queue; `policy` is its spread policy, if any."""
    return CompactComputeFleetArgs(
        project=cluster.project,
        queue=queue.name,
        machines=queue.machines,
        network=network,
        zones=cluster.queue_zones(queue),
        max=queue.max,
        min=queue.min,
        purchase=cast(PurchaseKind, purchase_kind(queue)),  # a `GcpQueue` has no other kinds
        reservation=reservation_id(queue),
        bound=queue.purchase.bound if isinstance(queue.purchase, Reservation) else None,
        max_run_seconds=None if queue.max_run is None else int(queue.max_run.seconds),
        placement=_compact(queue),
        spread=None if policy is None else service_limit("spread.domains"),
        policy=policy,
        fabric=queue.fabric,
        tier_1=queue.tier_1,
        smt=queue.smt,
        image=image(cluster, queue.machine, queue.image),
        user_data=user_data(cluster.cloud),
        root=root_disk(queue.root or GcpDisk(size=root_size(queue))),
        login=Login(os_login=cluster.os_login, admin_user=cluster.admin_user),
        identities=identities,
        services=services,
        tags=tags,
    )


def _compact(queue: GcpQueue) -> CompactPlacement | None:
    """Return the compact placement of a queue, with a policy size that holds for all its machine types."""
    if placement(queue) != "cluster":
        return None
    known = [each for name in queue.machines if (each := machine(queue.cloud, name))]
    most = min(most_in_policy(each, queue.max_distance) for each in known)
    return CompactPlacement(machines=most, max_distance=queue.max_distance)


def head_args(
    cluster: GcpClusterSpec,
    network: Network,
    identities: Identities,
    services: Services,
    fleets: tuple[FleetRef, ...],
    tags: Tags,
) -> SlurmHeadNodeArgs:
    """Return the arguments of the head node, at its fixed address."""
    head = cluster.head_node
    return SlurmHeadNodeArgs(
        project=cluster.project,
        machine=head.machine,
        image=image(cluster, head.machine, head.image),
        user_data=user_data(cluster.cloud),
        zone=cluster.zone,
        subnet_id=network.subnets["head"],
        private_ip=str(head_address(cluster)),
        public=head.public,
        root=root_disk(head.root),
        state=state_disk(head.state),
        login=Login(os_login=cluster.os_login, admin_user=cluster.admin_user, ssh_key=head.ssh_key),
        identities=identities,
        services=services,
        fleets=fleets,
        retain=not cluster.throw_away,
        tags=tags,
    )


def login_args(
    cluster: GcpClusterSpec,
    login: GcpLoginNodes,
    network: Network,
    identities: Identities,
    services: Services,
    tags: Tags,
) -> LoginNodeNLBArgs:
    """Return the arguments of the login nodes behind their load balancer."""
    return LoginNodeNLBArgs(
        project=cluster.project,
        machine=login.machine,
        image=image(cluster, login.machine, login.image),
        user_data=user_data(cluster.cloud),
        min=login.min,
        max=login.max,
        public=login.public,
        network=network,
        zones=login.zones or (cluster.zone,),
        login=Login(os_login=cluster.os_login, admin_user=cluster.admin_user, ssh_key=login.ssh_key),
        identities=identities,
        services=services,
        root=root_disk(login.root),
        tags=tags,
    )
