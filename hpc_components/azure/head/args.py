from collections.abc import Mapping

from pulumi import Input

from hpc_components.azure.disks.args import root_disk, state_disk
from hpc_components.azure.head.component import SlurmHeadNodeArgs
from hpc_components.azure.images.args import image_plan, node_image
from hpc_components.azure.ports import FleetRef, Group, Identities, Network, Services
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.boot import user_data
from hpc_components.spec.addresses import head_address


def head_args(
    cluster: AzureClusterSpec,
    network: Network,
    identities: Identities,
    services: Services,
    fleets: tuple[FleetRef, ...],
    group: Group,
    nodes_group: Group,
    tags: Tags,
    images: Mapping[str, Input[str]] | None = None,
) -> SlurmHeadNodeArgs:
    head = cluster.head_node
    return SlurmHeadNodeArgs(
        group=group,
        nodes_group=nodes_group,
        machine=head.machine,
        image=node_image(cluster, head.machine, head.image, images or {}),
        image_plan=image_plan(cluster, head),
        user_data=user_data(cluster.cloud),
        zone=cluster.zone,
        subnet_id=network.subnets["head"],
        private_ip=str(head_address(cluster)),
        security_group_id=network.security_groups.get("head"),
        public=head.public,
        root=root_disk(head.root),
        state=state_disk(head.state),
        admin_user=cluster.admin_user,
        ssh_key=head.ssh_key,
        identities=identities,
        services=services,
        fleets=fleets,
        retain=not cluster.throw_away,
        tags=tags,
    )
