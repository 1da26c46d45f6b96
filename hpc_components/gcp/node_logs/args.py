from hpc_components.gcp.node_logs.component import NodeLogsArgs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def logs_args(cluster: GcpClusterSpec, tags: Tags) -> NodeLogsArgs:
    days = int(cluster.log_retention.days)
    return NodeLogsArgs(project=cluster.project, region=cluster.region, retention_days=days, tags=tags)
