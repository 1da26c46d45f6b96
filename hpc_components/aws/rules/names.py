from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import (
    Wrong,
    bucket_of_cluster,
    cluster_name,
    queue_names,
    too_long,
    value_rule,
)
from hpc_components.spec.rules.names import MAX_QUEUE_NAME_LENGTH


@value_rule("HPC-NAM-007", Level.ERROR, queue_names)
def role_names_fit(cluster: AwsClusterSpec, path: Path, name: str) -> Wrong | None:
    """`<cluster>-<queue>` must be short enough for role names.

    The role of a queue's nodes is named `<cluster>-<queue>-role` plus a random suffix. Source: IAM API reference,
    CreateRole.
    """
    if len(name) > MAX_QUEUE_NAME_LENGTH or cluster.queues[int(path[1])].instance_profile:
        return None
    most = service_limit("iam.role_name_length")
    return too_long(f"{cluster.name}-{name}-role", most, what="a role", end=RANDOM_SUFFIX)


@value_rule("HPC-NAM-017", Level.ERROR, cluster_name)
def name_of_config_bucket(_: AwsClusterSpec, path: Path, name: str) -> Wrong | None:
    """A cluster's name must not begin with a prefix that S3 reserves, such as `xn--`.

    Nodes fetch their configuration from a bucket whose name begins with the cluster's. Source: S3 user guide,
    "General purpose bucket naming rules".
    """
    return bucket_of_cluster(name, wrong_bucket_name)
