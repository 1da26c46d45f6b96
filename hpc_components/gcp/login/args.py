from collections.abc import Mapping

from pulumi import Input

from hpc_components.boot import user_data
from hpc_components.gcp.disks.args import root_disk
from hpc_components.gcp.fleet.node_metadata import Login
from hpc_components.gcp.images.args import node_image, run_by_agent
from hpc_components.gcp.login.component import LoginNodeNLBArgs
from hpc_components.gcp.login.model import GcpLoginNodes
from hpc_components.gcp.ports import (
    Identities,
    Network,
    Services,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def login_args(
    cluster: GcpClusterSpec,
    login: GcpLoginNodes,
    network: Network,
    identities: Identities,
    services: Services,
    tags: Tags,
    images: Mapping[str, Input[str]] | None = None,
) -> LoginNodeNLBArgs:
    return LoginNodeNLBArgs(
        project=cluster.project,
        machine=login.machine,
        image=node_image(cluster, login.machine, login.image, images or {}),
        user_data=user_data(cluster.cloud),
        run_by_agent=run_by_agent(cluster),
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
