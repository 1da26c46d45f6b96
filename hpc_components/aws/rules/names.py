"""Rules on the names of what AWS keeps."""

from collections.abc import Iterator

from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules.names import LONGEST_QUEUE

__all__: list[str] = []

RANDOM_END = 8
"""What Pulumi appends to a name: a hyphen and seven hexadecimal digits."""


@rule("HPC-NAM-007", Level.ERROR)
def role_names_fit(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The names of the cluster and of each queue together leave room for the names of roles.

    The role of a queue's nodes is called `<cluster>-<queue>-role` with a random end. Source: IAM API reference,
    CreateRole.
    """
    most = service_limit("iam.role_name_length") - RANDOM_END - len("--role")
    for index, queue in enumerate(cluster.queues):
        long = len(cluster.name) + len(queue.name)
        if long > most and len(queue.name) <= LONGEST_QUEUE and not queue.instance_profile:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"{cluster.name!r} and {queue.name!r} have {long} characters together; the name of the role "
                f"{cluster.name}-{queue.name}-role has room for {most}",
                remedy=f"shorten one of them by {long - most}",
            )
