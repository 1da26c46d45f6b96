from hpc_components.aws.metrics.component import MetricsWorkspaceArgs
from hpc_components.aws.metrics.model import AwsRemoteWrite
from hpc_components.aws.ports import Identity
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags


def metrics_args(cluster: AwsClusterSpec, remote: AwsRemoteWrite, head: Identity, tags: Tags) -> MetricsWorkspaceArgs:
    """Return the arguments for the workspace. `head` is the own role of the head node."""
    return MetricsWorkspaceArgs(workspace=remote.workspace, head=head, retain=not cluster.throw_away, tags=tags)
