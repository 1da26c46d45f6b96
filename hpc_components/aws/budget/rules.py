from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-BUD-015", Level.INFO)
def no_last_fence(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A budget that stops launches should have a head node with a role of the stack's.

    AWS Budgets attaches a denial of launches to that role once the budget is exceeded, in case the elastic daemon
    fails to stop. Nothing is attached to a role of yours. Source: AWS Cost Management user guide, "Configuring budget
    actions".
    """
    if cluster.budget and cluster.budget.stop_launches and cluster.head_node.instance_profile:
        yield Problem(
            path=("head_node", "instance_profile"),
            value=cluster.head_node.instance_profile,
            reason="AWS does not deny launches to a role of yours when the budget is exceeded, so only the elastic "
            "daemon stops them",
            remedy="remove head_node.instance_profile, or make a budget action for that role yourself",
        )


@rule("HPC-BUD-007", Level.INFO)
def budget_tag(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The ClusterName tag, by which budgets track costs, must be activated as a cost allocation tag.

    Activate the tag manually, once per account, a day after its first use. Source: AWS Billing user guide,
    "Activating user-defined cost allocation tags".
    """
    if cluster.budget:
        yield Problem(
            path=("budget",),
            reason="the budget shows no spending until the ClusterName tag is activated as a cost allocation tag in "
            "the account",
            remedy="run once: aws ce update-cost-allocation-tags-status --cost-allocation-tags-status "
            "TagKey=ClusterName,Status=Active",
        )
