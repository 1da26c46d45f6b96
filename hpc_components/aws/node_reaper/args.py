from hpc_components.aws.node_reaper.component import NodeReaperArgs
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags


def reaper_args(cluster: AwsClusterSpec, config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    return NodeReaperArgs(
        cluster=cluster.name,
        config=config,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )
