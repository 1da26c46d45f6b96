from dataclasses import dataclass, field

import pulumi
from pulumi import Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.components.log_bucket import check_retention, make_log_bucket
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
        check_retention("AuditTrailArgs.keep_days", self.keep_days)


class AuditTrail(Component[AuditTrailArgs]):
    """A log bucket for who logged in, who became root and who changed Slurm, and a sink that routes the nodes' log to
    it. Nodes need the role `logging.logWriter`, which allows neither to read nor to delete entries.

    The bucket is kept when the cluster is destroyed; its entries expire automatically.
    """

    bucket_id: Output[str]
    """Id of the log bucket."""

    def _make(self, name: str, args: AuditTrailArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:AuditTrail", name, {"keepDays": args.keep_days}, opts)
        bucket = make_log_bucket(
            self,
            name,
            project=args.project,
            region=args.region,
            retention_days=args.keep_days,
            description="Audit trail of an HPC cluster",
            log=LOG,
            cluster=args.tags.cluster,
        )
        self.bucket_id = bucket.id
        self.register_outputs({"bucketId": self.bucket_id})
