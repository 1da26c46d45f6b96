from hpc_components.aws.budget.component import ClusterBudgetArgs
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.spec.cluster import Budget


def budget_args(cluster: AwsClusterSpec, budget: Budget, tags: Tags) -> ClusterBudgetArgs:
    return ClusterBudgetArgs(
        cluster=cluster.name,
        monthly_usd=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
        tags=tags,
    )
