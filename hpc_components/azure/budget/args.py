from pulumi import Output

from hpc_components.azure.budget.component import ClusterBudgetArgs
from hpc_components.azure.budget.model import AzureBudget
from hpc_components.azure.ports import Group


def budget_args(budget: AzureBudget, group: Group, nodes_group: Group) -> ClusterBudgetArgs:
    return ClusterBudgetArgs(
        groups=(group.name, nodes_group.name),
        subscription=Output.from_input(nodes_group.id).apply(lambda id: "/".join(id.split("/")[:3])),
        monthly=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
        action_groups=budget.action_groups,
    )
