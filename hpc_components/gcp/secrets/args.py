"""Builds the arguments for the secrets that a described cluster's nodes share."""

from hpc_components.gcp.secrets.component import NodeSecretsArgs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def secrets_args(cluster: GcpClusterSpec, tags: Tags) -> NodeSecretsArgs:
    """Return the arguments for the secrets that nodes share."""
    return NodeSecretsArgs(project=cluster.project, tags=tags)
