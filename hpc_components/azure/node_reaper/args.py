from hpc_components.azure.node_reaper.component import NodeReaperArgs
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags


def reaper_args(cluster: AzureClusterSpec, tags: Tags) -> NodeReaperArgs:
    return NodeReaperArgs(group_name=f"{cluster.name}-nodes", location=cluster.region, tags=tags)
