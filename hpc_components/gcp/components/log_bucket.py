"""A bucket of Cloud Logging for one log of a cluster's nodes, and the sink that routes the log to it."""

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.gcp.catalog.limits import log_retention_days


def check_retention(argument: str, days: int) -> None:
    """Raise ValueError, which names the argument, if Cloud Logging does not offer this retention."""
    if days not in (offered := log_retention_days()):
        raise ValueError(
            f"{argument}: Cloud Logging can't keep logs for {days} days; use {offered[0]} to {offered[-1]}"
        )


def make_log_bucket(
    parent: pulumi.Resource,
    name: str,
    *,
    project: str,
    region: str,
    retention_days: int,
    description: str,
    log: str,
    cluster: str,
) -> gcp.logging.ProjectBucketConfig:
    """Make the bucket and the sink below `parent`. The sink takes entries of `log` with the label of the cluster.

    The bucket is kept when the cluster is destroyed; its entries expire automatically.
    """
    bucket = gcp.logging.ProjectBucketConfig(
        name,
        project=project,
        location=region,
        bucket_id=name,
        retention_days=retention_days,
        description=description,
        opts=pulumi.ResourceOptions(parent=parent, retain_on_delete=True),
    )
    gcp.logging.ProjectSink(
        f"{name}-sink",
        project=project,
        destination=Output.concat("logging.googleapis.com/", bucket.id),
        filter=f'logName="projects/{project}/logs/{log}" AND labels.cluster="{cluster}"',
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return bucket
