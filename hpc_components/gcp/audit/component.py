from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.limits import log_retention_days
from hpc_components.gcp.tags import Tags

LOG = "hpc-audit"
"""Name of the log that nodes write to, `projects/<project>/logs/hpc-audit`. Entries have the label `cluster`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class AuditTrailArgs:
    """Arguments of `AuditTrail`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the log bucket."""
    keep_days: int = 400
    """How long to keep the trail, in days."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if Cloud Logging does not offer this retention."""
        if self.keep_days not in (days := log_retention_days()):
            raise ValueError(
                f"AuditTrailArgs.keep_days: Cloud Logging can't keep logs for {self.keep_days} days; use {days[0]} to"
                f" {days[-1]}"
            )


class AuditTrail(Component[AuditTrailArgs]):
    """A log bucket for who logged in, who became root and who changed Slurm, and a sink that routes the nodes' log to
    it. Nodes need the role `logging.logWriter`, which allows neither to read nor to delete entries.

    The bucket is kept when the cluster is destroyed; its entries expire automatically.
    """

    bucket_id: Output[str]
    """Id of the log bucket."""

    def _make(self, name: str, args: AuditTrailArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:AuditTrail", name, {"keepDays": args.keep_days}, opts)
        bucket = gcp.logging.ProjectBucketConfig(
            name,
            project=args.project,
            location=args.region,
            bucket_id=name,
            retention_days=args.keep_days,
            description="Audit trail of an HPC cluster",
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
