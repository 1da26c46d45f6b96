from collections.abc import Mapping

from pulumi import Input

from hpc_components.boot import user_data
from hpc_components.gcp.disks.args import root_disk, state_disk
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.head.component import SlurmHeadNodeArgs
from hpc_components.gcp.images.args import node_image, run_by_agent
from hpc_components.gcp.ports import (
    FleetRef,
    Identities,
    Network,
    Services,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.spec.addresses import head_address


def head_args(
    cluster: GcpClusterSpec,
    network: Network,
    identities: Identities,
    services: Services,
    fleets: tuple[FleetRef, ...],
    tags: Tags,
    images: Mapping[str, Input[str]] | None = None,
) -> SlurmHeadNodeArgs:
    head = cluster.head_node
    return SlurmHeadNodeArgs(
        project=cluster.project,
        machine=head.machine,
        image=node_image(cluster, head.machine, head.image, images or {}),
        user_data=user_data(cluster.cloud),
        run_by_agent=run_by_agent(cluster),
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
