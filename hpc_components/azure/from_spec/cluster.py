"""Arguments of configuration, keys, logs, the nodes' resource group and the budget."""

from pulumi import Input, Output

from hpc_components.azure.components.budget import ClusterBudgetArgs
from hpc_components.azure.components.node_logs import NodeLogsArgs
from hpc_components.azure.components.node_reaper import NodeReaperArgs
from hpc_components.azure.components.vault import NodeVaultArgs
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.spec.cluster import Budget


def vault_args(
    cluster: AzureClusterSpec, tenant_id: Input[str], network: Network, group: Group, tags: Tags
) -> NodeVaultArgs:
    """Return the arguments of the Key Vault with the keys that nodes share."""
    return NodeVaultArgs(group=group, tenant_id=tenant_id, network=network, retain=not cluster.throw_away, tags=tags)


def logs_args(cluster: AzureClusterSpec, group: Group, tags: Tags) -> NodeLogsArgs:
    """Return the arguments of the storage for logs of failed boots."""
    return NodeLogsArgs(group=group, retention_days=int(cluster.log_retention.days), tags=tags)


def reaper_args(cluster: AzureClusterSpec, tags: Tags) -> NodeReaperArgs:
    """Return the arguments of the compute nodes' resource group."""
    return NodeReaperArgs(group_name=f"{cluster.name}-nodes", location=cluster.region, tags=tags)


def budget_args(budget: Budget, group: Group, nodes_group: Group) -> ClusterBudgetArgs:
    """Return the arguments of the budget for both resource groups."""
    return ClusterBudgetArgs(
        groups=(group.name, nodes_group.name),
        subscription=Output.from_input(nodes_group.id).apply(lambda id: "/".join(id.split("/")[:3])),
        monthly=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
    )
