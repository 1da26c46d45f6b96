from collections.abc import Mapping

from hpc_components.aws.audit.component import AuditTrailArgs
from hpc_components.aws.ports import Identity
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.spec.audit import Audit


def audit_args(cluster: AwsClusterSpec, audit: Audit, nodes: Mapping[str, Identity], tags: Tags) -> AuditTrailArgs:
    """Return the arguments for the audit trail. `nodes` are the own roles of all nodes, keyed by any names."""
    return AuditTrailArgs(
        cluster=cluster.name,
        keep_days=int(audit.keep.days),
        nodes=nodes,
        retain=not cluster.throw_away,
        tags=tags,
    )
