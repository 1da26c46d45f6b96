"""Arguments of cluster-wide components: APIs, keys, logs."""

from hpc_components.gcp.components.apis import ProjectServicesArgs, Use
from hpc_components.gcp.components.node_logs import NodeLogsArgs
from hpc_components.gcp.components.secrets import NodeSecretsArgs
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags


def apis_args(cluster: GcpClusterSpec) -> ProjectServicesArgs:
    """Return the arguments for the APIs that the described cluster needs."""
    new = [storage for storage in cluster.storage.values() if storage.existing is None]
    uses: dict[Use, bool] = {
        "lustre": any(isinstance(storage, Lustre) for storage in new),
        "filestore": any(not isinstance(storage, Lustre) for storage in new),
        "budget": cluster.budget is not None,
        "os_login": cluster.os_login,
        "iap": cluster.network.iap,
        "lent_identity": bool(cluster.buckets),
    }
    return ProjectServicesArgs(project=cluster.project, uses=tuple(use for use, is_used in uses.items() if is_used))


def secrets_args(cluster: GcpClusterSpec, tags: Tags) -> NodeSecretsArgs:
    """Return the arguments of the secrets that nodes share."""
    return NodeSecretsArgs(project=cluster.project, tags=tags)


def logs_args(cluster: GcpClusterSpec, tags: Tags) -> NodeLogsArgs:
    """Return the arguments of the log bucket for failed boots."""
    days = int(cluster.log_retention.days)
    return NodeLogsArgs(project=cluster.project, region=cluster.region, retention_days=days, tags=tags)
