from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import wrong_arm_id
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-WCH-012", Level.ERROR)
def existing_workspace(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`monitoring.remote_write.workspace` must be the id of an Azure Monitor workspace.

    A Log Analytics workspace is another resource, and does not take Prometheus' metrics. Source: Azure Monitor
    documentation, "Azure Monitor workspace overview".
    """
    remote = cluster.monitoring.remote_write if cluster.monitoring else None
    if remote and remote.workspace is not None and (wrong := wrong_arm_id(remote.workspace, "monitor_workspace")):
        yield Problem(
            path=("monitoring", "remote_write", "workspace"),
            value=remote.workspace,
            reason=wrong[0],
            remedy=f"{wrong[1]}; or remove the key for a new workspace",
        )
