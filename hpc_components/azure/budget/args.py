from pulumi import Output

from hpc_components.azure.budget.component import ClusterBudgetArgs
from hpc_components.azure.ports import Group
from hpc_components.spec.cluster import Budget


def budget_args(budget: Budget, group: Group, nodes_group: Group) -> ClusterBudgetArgs:
    return ClusterBudgetArgs(
        groups=(group.name, nodes_group.name),
        subscription=Output.from_input(nodes_group.id).apply(lambda id: "/".join(id.split("/")[:3])),
        monthly=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
    )
