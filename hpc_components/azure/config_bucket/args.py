from collections.abc import Iterable

from pulumi import Output

from hpc_components.azure.config_bucket.component import ConfigBucketArgs
from hpc_components.azure.metrics.component import MetricsWorkspace
from hpc_components.azure.ports import BucketRef, Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.boot.files import boot_files
from hpc_components.ports import FileSystemMount


def config_args(
    cluster: AzureClusterSpec,
    mounts: list[FileSystemMount],
    network: Network,
    group: Group,
    tags: Tags,
    buckets: Iterable[BucketRef] = (),
    metrics: MetricsWorkspace | None = None,
) -> ConfigBucketArgs:
    lines = [Output.concat(f"{bucket.name} ", bucket.url, "\n") for bucket in buckets]
    table = Output.all(
        *({"mount": one.mount, "type": one.type, "from": _source(one), "options": one.options} for one in mounts)
    )
    return ConfigBucketArgs(
        group=group,
        network=network,
        files={
            **boot_files(cluster),
            "common/buckets": Output.concat(*lines) if lines else "\n",  # Pulumi doesn't support empty assets
            "common/mounts.json": Output.json_dumps(table, indent=1, sort_keys=True),
            **({"head/watch/remote_write": Output.concat(metrics.write_url, "\n")} if metrics else {}),
        },
        publishes=cluster.people is not None,
        tags=tags,
    )


def _source(mount: FileSystemMount) -> Output[str]:
    """Return the device field of the mount's fstab entry."""
    between = "@tcp:/" if mount.type == "lustre" else ":"
    return Output.concat(mount.server, between, mount.export)
