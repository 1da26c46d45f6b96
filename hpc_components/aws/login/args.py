from collections.abc import Mapping

from pulumi import Input

from hpc_components.aws.disks.args import root_disk
from hpc_components.aws.images.args import node_image
from hpc_components.aws.login.component import LoginNodeNLBArgs
from hpc_components.aws.login.model import AwsLoginNodes
from hpc_components.aws.ports import ConfigStore, Identities, Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.boot import user_data


def login_args(
    cluster: AwsClusterSpec,
    login: AwsLoginNodes,
    network: Network,
    identities: Identities,
    config: ConfigStore,
    tags: Tags,
    images: Mapping[str, Input[str]] | None = None,
) -> LoginNodeNLBArgs:
    return LoginNodeNLBArgs(
        machine=login.machine,
        image=node_image(cluster, login.machine, login.image, images or {}),
        user_data=user_data(cluster.cloud),
        min=login.min,
        max=login.max,
        public=login.public,
        network=network,
        zones=login.zones or (cluster.zone,),
        ssh_from=tuple(map(str, cluster.network.ssh_from)),
        config=config,
        identities=identities,
        root=root_disk(cluster, login.root),
        kms_keys=cluster.iam.kms_keys,
        key_pair=login.key_pair,
        retain=not cluster.throw_away,
        tags=tags,
    )
