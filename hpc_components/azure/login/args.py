from collections.abc import Mapping

from pulumi import Input

from hpc_components.azure.disks.args import root_disk
from hpc_components.azure.images.args import image_plan, node_image
from hpc_components.azure.login.component import LoginNodeNLBArgs
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.ports import Group, Identities, Network, Services
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.boot import user_data


def login_args(
    cluster: AzureClusterSpec,
    login: AzureLoginNodes,
    network: Network,
    identities: Identities,
    services: Services,
    group: Group,
    tags: Tags,
    images: Mapping[str, Input[str]] | None = None,
) -> LoginNodeNLBArgs:
    return LoginNodeNLBArgs(
        group=group,
        machine=login.machine,
        image=node_image(cluster, login.machine, login.image, images or {}),
        image_plan=image_plan(cluster, login),
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
