from collections.abc import Mapping

from pulumi import Input

from hpc_components.aws.disks.args import root_disk
from hpc_components.aws.disks.component import StateDisk
from hpc_components.aws.disks.model import root_of
from hpc_components.aws.head.component import SlurmHeadNodeArgs
from hpc_components.aws.images.args import node_image
from hpc_components.aws.ports import ConfigStore, FleetRef, Identities, Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.boot import user_data
from hpc_components.spec.addresses import head_address
from hpc_components.spec.rules._values import password_secrets


def head_args(
    cluster: AwsClusterSpec,
    network: Network,
    identities: Identities,
    config: ConfigStore,
    fleets: tuple[FleetRef, ...],
    tags: Tags,
    images: Mapping[str, Input[str]] | None = None,
) -> SlurmHeadNodeArgs:
    head = cluster.head_node
    keys = {key for queue in cluster.queues if (key := root_of(queue).kms_key)} | set(cluster.iam.kms_keys)
    subnets = network.public_subnets if head.public else network.private_subnets
    return SlurmHeadNodeArgs(
        machine=head.machine,
        image=node_image(cluster, head.machine, head.image, images or {}),
        user_data=user_data(cluster.cloud),
        subnet_id=subnets[cluster.zone],
        availability_zone=network.zone_names[cluster.zone],
        private_ip=str(head_address(cluster)),
        security_group_ids=network.security_groups.head,
        public=head.public,
        root=root_disk(cluster, head.root),
        state=StateDisk(
            size_gib=int(head.state.size.in_gib),
            type=head.state.type,
            iops=head.state.iops,
            throughput=head.state.throughput,
            kms_key=head.state.kms_key,
        ),
        config=config,
        identities=identities,
        fleets=fleets,
        kms_keys=tuple(sorted(keys)),
        read_secrets=tuple(dict.fromkeys(secret for _, secret in password_secrets(cluster))),
        key_pair=head.key_pair,
        log_retention_days=int(cluster.log_retention.days),
        retain=not cluster.throw_away,
        tags=tags,
    )
