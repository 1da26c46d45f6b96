from pulumi import Input

from hpc_components.azure.components.node_logs import NodeLogsArgs
from hpc_components.azure.components.vault import NodeVaultArgs
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags


def vault_args(
    cluster: AzureClusterSpec, tenant_id: Input[str], network: Network, group: Group, tags: Tags
) -> NodeVaultArgs:
    """Return the arguments for the Key Vault that stores the nodes' shared keys."""
    return NodeVaultArgs(group=group, tenant_id=tenant_id, network=network, retain=not cluster.throw_away, tags=tags)


def logs_args(cluster: AzureClusterSpec, group: Group, tags: Tags) -> NodeLogsArgs:
    """Return the arguments for the component that stores logs of failed boots and the audit trail."""
    return NodeLogsArgs(
        group=group,
        retention_days=int(cluster.log_retention.days),
        audit_days=int(cluster.audit.keep.days) if cluster.audit else None,
        retain=not cluster.throw_away,
        tags=tags,
    )
