"""Arguments of head node, login nodes and fleets."""

from collections.abc import Collection

from hpc_components.boot import user_data
from hpc_components.gcp.components.login_node_nlb import LoginNodeNLBArgs
from hpc_components.gcp.components.node_identity import NodeIdentityArgs
from hpc_components.gcp.components.slurm_head_node import SlurmHeadNodeArgs
from hpc_components.gcp.disks.args import root_disk, state_disk
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.images.args import image
from hpc_components.gcp.ports import (
    BucketAccess,
    BucketRef,
    FleetRef,
    Identities,
    Network,
    Services,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.nodes import GcpLoginNodes
from hpc_components.gcp.tags import Tags
from hpc_components.spec.addresses import head_address
from hpc_components.spec.bucket_access import bucket_access


def identity_args(cluster: GcpClusterSpec, place: str | None, buckets: Collection[BucketRef]) -> NodeIdentityArgs:
    """Return the arguments of the service accounts of a queue or the login nodes; None for nodes without users."""
    may = [(each, bucket_access(cluster.buckets[each.name], place) if place else None) for each in buckets]
    read = tuple(bucket for bucket, what in may if what == "read")
    write = tuple(bucket for bucket, what in may if what == "write")
    access = BucketAccess(read=read, write=write) if read or write else None
    return NodeIdentityArgs(project=cluster.project, buckets=access)


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
