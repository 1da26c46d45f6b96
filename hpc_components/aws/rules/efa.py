"""Rules on security groups for EFA."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule


@rule("HPC-EFA-004", Level.WARNING)
def efa_groups(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """With EFA, existing security groups allow all traffic among compute nodes, in both directions.

    A description does not show what they allow. Without the outbound rule, MPI hangs at its first message. Source:
    EC2 user guide, "Prepare an EFA-enabled security group".
    """
    existing = cluster.network.existing
    named = existing.security_groups.compute if existing and existing.security_groups else ()
    if named and any(fabric_on(queue) for queue in cluster.queues):
        groups = ", ".join(named)
        yield Problem(
            path=("network", "existing", "security_groups", "compute"),
            value=groups,
            reason=f"nodes use EFA, and the description does not show what traffic {groups} allows",
            remedy="make sure that one of them allows all traffic from and to itself, or remove security_groups",
        )
