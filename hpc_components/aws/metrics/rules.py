from collections.abc import Iterator

from hpc_components.aws.catalog.arns import metrics_address
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-WCH-011", Level.ERROR)
def existing_workspace(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`monitoring.remote_write.workspace` must be the ARN of a workspace of Amazon Managed Service for Prometheus.

    The head node gets permission for this ARN, and sends to its region. Source: Service Authorization Reference,
    "Resource types defined by Amazon Managed Service for Prometheus".
    """
    remote = cluster.monitoring.remote_write if cluster.monitoring else None
    if remote and remote.workspace is not None and metrics_address(remote.workspace) is None:
        yield Problem(
            path=("monitoring", "remote_write", "workspace"),
            value=remote.workspace,
            reason="it is not the ARN of a workspace",
            remedy=f"use an ARN such as arn:aws:aps:{cluster.region}:123456789012:workspace/ws-<id>, or remove the "
            "key for a new workspace",
        )
