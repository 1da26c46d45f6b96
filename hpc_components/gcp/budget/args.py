from pulumi import Input

from hpc_components.gcp.budget.component import ClusterBudgetArgs
from hpc_components.gcp.budget.model import GcpBudget
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def budget_args(
    cluster: GcpClusterSpec, budget: GcpBudget, project_number: Input[int], tags: Tags
) -> ClusterBudgetArgs:
    assert cluster.billing_account is not None, "a rule requires billing_account if there is a budget"
    return ClusterBudgetArgs(
        billing_account=cluster.billing_account,
        project=cluster.project,
        project_number=project_number,
        monthly=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
        pubsub_topic=budget.pubsub_topic,
        tags=tags,
    )
