"""What belongs to the cluster as a whole: APIs, configuration, keys, logs, budget."""

from collections.abc import Iterable

from pulumi import Input, Output

from hpc_components.boot.files import boot_files
from hpc_components.gcp.components.apis import ProjectServicesArgs, Use
from hpc_components.gcp.components.budget import ClusterBudgetArgs
from hpc_components.gcp.components.config_bucket import ConfigBucketArgs
from hpc_components.gcp.components.node_logs import NodeLogsArgs
from hpc_components.gcp.components.node_reaper import NodeReaperArgs
from hpc_components.gcp.components.secrets import NodeSecretsArgs
from hpc_components.gcp.ports import BucketRef, ConfigStore
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import Lustre
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.cluster import Budget


def apis_args(cluster: GcpClusterSpec) -> ProjectServicesArgs:
    """The APIs that what is described needs."""
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


def config_args(
    cluster: GcpClusterSpec,
    mounts: list[FileSystemMount],
    secrets_made: Input[str],
    tags: Tags,
    buckets: Iterable[BucketRef] = (),
) -> ConfigBucketArgs:
    """What every node fetches: scripts and configuration of the cluster as described, what to mount, and buckets.

    `secrets_made` is `NodeSecrets.made`. No script reads it: nodes run all steps again when the manifest changes.
    """
    lines = [Output.concat(f"{bucket.name} ", bucket.url, "\n") for bucket in buckets]
    table = Output.all(
        *({"mount": one.mount, "type": one.type, "from": _source(one), "options": one.options} for one in mounts)
    )
    return ConfigBucketArgs(
        project=cluster.project,
        region=cluster.region,
        files={
            **boot_files(cluster),
            "common/buckets": Output.concat(*lines) if lines else "\n",  # the engine knows no empty asset
            "head/secrets": secrets_made,
            "common/mounts.json": Output.json_dumps(table, indent=1, sort_keys=True),
        },
        tags=tags,
    )


def _source(mount: FileSystemMount) -> Output[str]:
    """What stands before the directory in fstab."""
    between = "@tcp:/" if mount.type == "lustre" else ":"
    return Output.concat(mount.server, between, mount.export)


def secrets_args(cluster: GcpClusterSpec, tags: Tags) -> NodeSecretsArgs:
    """The keys that nodes share."""
    return NodeSecretsArgs(project=cluster.project, tags=tags)


def logs_args(cluster: GcpClusterSpec, tags: Tags) -> NodeLogsArgs:
    """Where nodes send the logs of failed boots."""
    days = int(cluster.log_retention.days)
    return NodeLogsArgs(project=cluster.project, region=cluster.region, retention_days=days, tags=tags)


def reaper_args(config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    """What tells the head node whether its cluster goes with it."""
    return NodeReaperArgs(config=config, tags=tags)


def budget_args(cluster: GcpClusterSpec, budget: Budget, project_number: Input[int], tags: Tags) -> ClusterBudgetArgs:
    """The budget over everything with the cluster's label."""
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
