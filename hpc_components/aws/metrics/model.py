from collections.abc import Mapping
from typing import Any

from hpc_components.aws.catalog.arns import read_arn
from hpc_components.spec.monitoring import Monitoring, RemoteWrite


class AwsRemoteWrite(RemoteWrite):
    """A workspace of Amazon Managed Service for Prometheus, to which the head node sends metrics as well. The service
    bills by sample."""

    workspace: str | None = None
    """ARN of an existing workspace, in any region. Default: the stack makes one, which is protected unless
    `throw_away` is set."""

    def login(self) -> Mapping[str, Any]:
        """Return the address of the program on the head node that signs requests: see `head/metrics_signer.py`."""
        return {"url": "http://127.0.0.1:9819"}

    def region(self, of_cluster: str) -> str:
        """Return the workspace's region, which is the cluster's for a new one."""
        arn = read_arn(self.workspace) if self.workspace else None
        return arn.region if arn else of_cluster


class AwsMonitoring(Monitoring):
    """Metrics of the cluster, which Prometheus keeps on the head node, and alerts."""

    remote_write: AwsRemoteWrite | None = None
    """A workspace of Amazon Managed Service for Prometheus, to which metrics are sent as well. Default: metrics stay
    on the head node."""
