"""Arguments of cluster-wide components: APIs, configuration, keys, logs, budget."""

from pulumi import Input

from hpc_components.gcp.components.apis import ProjectServicesArgs, Use
from hpc_components.gcp.components.budget import ClusterBudgetArgs
from hpc_components.gcp.components.node_logs import NodeLogsArgs
from hpc_components.gcp.components.node_reaper import NodeReaperArgs
from hpc_components.gcp.components.secrets import NodeSecretsArgs
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.ports import ConfigStore
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.spec.cluster import Budget


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


def reaper_args(config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    """Return the arguments of the object that says that the cluster should exist."""
    return NodeReaperArgs(config=config, tags=tags)


def budget_args(cluster: GcpClusterSpec, budget: Budget, project_number: Input[int], tags: Tags) -> ClusterBudgetArgs:
    """Return the arguments of the budget for all resources with the cluster's label."""
    assert cluster.billing_account is not None, "a rule: a budget is given with the account that pays"
    return ClusterBudgetArgs(
        billing_account=cluster.billing_account,
        project=cluster.project,
        project_number=project_number,
        monthly=budget.monthly,
        alert_at=budget.alert_at,
        notify=budget.notify,
        tags=tags,
    )
