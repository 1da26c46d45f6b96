"""Rule on the tag that AWS uses to track a budget."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-BUD-007", Level.INFO)
def budget_tag(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The tag ClusterName, which budgets track, must be activated as a cost allocation tag.

    Activate it by hand, once per account, a day after the tag is first used. Source: AWS Billing user guide,
    "Activating user-defined cost allocation tags".
    """
    if cluster.budget:
        yield Problem(
            path=("budget",),
            reason="its spending stays at zero until the account's cost allocation tag ClusterName is active",
            remedy="run once: aws ce update-cost-allocation-tags-status --cost-allocation-tags-status "
            "TagKey=ClusterName,Status=Active",
        )
