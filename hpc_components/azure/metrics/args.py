from hpc_components.azure.metrics.component import MetricsWorkspaceArgs
from hpc_components.azure.metrics.model import AzureRemoteWrite
from hpc_components.azure.ports import Group, Identity
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags


def metrics_args(
    cluster: AzureClusterSpec, remote: AzureRemoteWrite, head: Identity, group: Group, tags: Tags
) -> MetricsWorkspaceArgs:
    """Return the arguments for the workspace. `head` is the own identity of the head node."""
    return MetricsWorkspaceArgs(
        group=group, workspace=remote.workspace, head=head, retain=not cluster.throw_away, tags=tags
    )
