from hpc_components.gcp.audit.component import AuditTrailArgs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.spec.audit import Audit


def audit_args(cluster: GcpClusterSpec, audit: Audit, tags: Tags) -> AuditTrailArgs:
    """Return the arguments for the audit trail."""
    return AuditTrailArgs(project=cluster.project, region=cluster.region, keep_days=int(audit.keep.days), tags=tags)
