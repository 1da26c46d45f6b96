"""Arguments of the components for the cluster as a whole: reaper and budget."""

from hpc_components.aws.components.budget import ClusterBudgetArgs
from hpc_components.aws.components.node_reaper import NodeReaperArgs
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.spec.cluster import Budget


def reaper_args(cluster: AwsClusterSpec, config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    """Return the arguments of the reaper, which ends the compute nodes on destroy."""
    return NodeReaperArgs(
        cluster=cluster.name,
        config=config,
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )


def budget_args(cluster: AwsClusterSpec, budget: Budget, tags: Tags) -> ClusterBudgetArgs:
    """Return the arguments of the budget for all resources with the cluster's tag."""
    return ClusterBudgetArgs(
        cluster=cluster.name,
        monthly_usd=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
        tags=tags,
    )
