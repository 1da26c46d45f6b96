"""Converts a description to the arguments of the compute nodes' resource group."""

from hpc_components.azure.node_reaper.component import NodeReaperArgs
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags


def reaper_args(cluster: AzureClusterSpec, tags: Tags) -> NodeReaperArgs:
    """Return the arguments for the compute nodes' resource group."""
    return NodeReaperArgs(group_name=f"{cluster.name}-nodes", location=cluster.region, tags=tags)
