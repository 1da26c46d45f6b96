"""The rule on the tag by which AWS counts a budget."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-BUD-007", Level.INFO)
def budget_tag(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A budget counts by the tag ClusterName once that is a cost allocation tag.

    This is switched on by hand, once for an account, a day after the tag was first used. Source: AWS Billing user
    guide, "Activating user-defined cost allocation tags".
    """
    if cluster.budget:
        yield Problem(
            path=("budget",),
            reason="it stays at zero until the tag ClusterName is activated for cost allocation in the account",
            remedy="once: aws ce update-cost-allocation-tags-status --cost-allocation-tags-status "
            "TagKey=ClusterName,Status=Active",
        )
