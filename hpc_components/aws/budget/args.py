from hpc_components.aws.budget.component import ClusterBudgetArgs
from hpc_components.aws.ports import Identity
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.spec.cluster import Budget


def budget_args(cluster: AwsClusterSpec, budget: Budget, head: Identity, tags: Tags) -> ClusterBudgetArgs:
    return ClusterBudgetArgs(
        cluster=cluster.name,
        monthly_usd=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
        stops=head if budget.stop_launches and head.launch_denial is not None else None,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )
