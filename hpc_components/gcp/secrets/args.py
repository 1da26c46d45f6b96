from hpc_components.gcp.secrets.component import NodeSecretsArgs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def secrets_args(cluster: GcpClusterSpec, tags: Tags) -> NodeSecretsArgs:
    return NodeSecretsArgs(project=cluster.project, tags=tags)
