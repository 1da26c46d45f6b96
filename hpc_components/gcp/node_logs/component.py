from dataclasses import dataclass, field

import pulumi
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.components.log_bucket import check_retention, make_log_bucket
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
        """Raise ValueError if Cloud Logging does not offer this retention."""
        check_retention("NodeLogsArgs.retention_days", self.retention_days)


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
        bucket = make_log_bucket(
            self,
            name,
            project=args.project,
            region=args.region,
            retention_days=args.retention_days,
            description="Logs of failed boots of an HPC cluster",
            log=LOG,
            cluster=args.tags.cluster,
        )
        self.bucket_id = bucket.id
        self.register_outputs({"bucketId": self.bucket_id})
