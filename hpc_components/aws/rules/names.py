"""Rules on the names of what AWS keeps."""

import re
from collections.abc import Iterator

from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules.names import MAX_QUEUE_NAME_LENGTH


@rule("HPC-NAM-007", Level.ERROR)
def role_names_fit(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The names of the cluster and of each queue together leave room for the names of roles.

    The role of a queue's nodes is called `<cluster>-<queue>-role` with a random end. Source: IAM API reference,
    CreateRole.
    """
    most = service_limit("iam.role_name_length") - len(RANDOM_SUFFIX) - len("--role")
    for index, queue in enumerate(cluster.queues):
        long = len(cluster.name) + len(queue.name)
        if long > most and len(queue.name) <= MAX_QUEUE_NAME_LENGTH and not queue.instance_profile:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"{cluster.name!r} and {queue.name!r} have {long} characters together; the name of the role "
                f"{cluster.name}-{queue.name}-role has room for {most}",
                remedy=f"shorten one of them by {long - most}",
            )


@rule("HPC-NAM-017", Level.ERROR)
def name_of_config_bucket(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A cluster's name does not begin with what S3 keeps for itself, such as `xn--`.

    Nodes fetch their configuration from a bucket that begins with it. Source: S3 user guide, "General purpose bucket
    naming rules".
    """
    made = f"{cluster.name.lower()}-config"
    if re.fullmatch(r"[a-z][a-z0-9-]{0,46}", made) and (wrong := wrong_bucket_name(made)):
        yield Problem(
            path=("name",),
            value=cluster.name,
            reason=f"a bucket of it would be called {made} and a random end: {wrong[0]}",
            remedy=wrong[1],
        )
