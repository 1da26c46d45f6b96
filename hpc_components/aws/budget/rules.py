from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


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
