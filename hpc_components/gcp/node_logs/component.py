from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.limits import log_retention_days
from hpc_components.gcp.tags import Tags

LOG = "hpc-boot"
"""Name of the log that nodes write to, `projects/<project>/logs/hpc-boot`. Entries have the label `cluster`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeLogsArgs:
    """Arguments of `NodeLogs`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the log bucket."""
    retention_days: int = 180
    """Retention period for logs, in days."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        if self.retention_days not in log_retention_days():
            days = log_retention_days()
            raise ValueError(
                f"NodeLogsArgs.retention_days: Cloud Logging can't keep logs for {self.retention_days} days;"
                f" use {days[0]} to {days[-1]}"
            )


class NodeLogs(Component[NodeLogsArgs]):
    """A log bucket, and a sink that routes the cluster's log to it. Nodes need the role `logging.logWriter`.

    The bucket is kept when the cluster is destroyed, because logs expire automatically, an empty bucket costs
    nothing, and a deleted bucket's name can't be reused for a week. A new cluster with the same name reuses the
    bucket.
    """

    bucket_id: Output[str]
    """Id of the log bucket."""

    def _make(self, name: str, args: NodeLogsArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:NodeLogs", name, {"retentionDays": args.retention_days}, opts)
        bucket = gcp.logging.ProjectBucketConfig(
            name,
            project=args.project,
            location=args.region,
            bucket_id=name,
            retention_days=args.retention_days,
            description="Logs of failed boots of an HPC cluster",
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=True),
        )
        gcp.logging.ProjectSink(
            f"{name}-sink",
            project=args.project,
            destination=Output.concat("logging.googleapis.com/", bucket.id),
            filter=f'logName="projects/{args.project}/logs/{LOG}" AND labels.cluster="{args.tags.cluster}"',
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.bucket_id = bucket.id
        self.register_outputs({"bucketId": self.bucket_id})
