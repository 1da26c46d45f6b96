from collections.abc import Iterable, Iterator, Mapping

from pulumi import Output

from hpc_components.aws.config_bucket.component import ConfigBucketArgs
from hpc_components.aws.metrics.component import MetricsWorkspace
from hpc_components.aws.organizations.args import roles_file
from hpc_components.aws.organizations.component import Organization
from hpc_components.aws.ports import BucketRef
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.boot.files import boot_files
from hpc_components.ports import FileSystemMount


def config_args(
    cluster: AwsClusterSpec,
    mounts: list[FileSystemMount],
    tags: Tags,
    buckets: Iterable[BucketRef] = (),
    organizations: Mapping[str, Organization] | None = None,
    metrics: MetricsWorkspace | None = None,
) -> ConfigBucketArgs:
    organizations = organizations or {}
    own = [one.bucket for one in organizations.values() if one.bucket is not None]
    table = Output.all(
        *({"mount": one.mount, "type": one.type, "from": _source(one), "options": one.options} for one in mounts)
    )
    return ConfigBucketArgs(
        files={
            **boot_files(cluster),
            "common/buckets": Output.concat(*(line for bucket in (*buckets, *own) for line in _addresses(bucket))),
            "common/mounts.json": Output.json_dumps(table, indent=1, sort_keys=True),
            **({"common/organizations.json": roles_file(cluster, organizations)} if organizations else {}),
            **({"head/watch/remote_write": _sender(cluster, metrics)} if metrics else {}),
        },
        publishes=cluster.people is not None,
        tags=tags,
    )


def _source(mount: FileSystemMount) -> Output[str]:
    """Return the mount's source in fstab format."""
    between = "@tcp:/" if mount.type == "lustre" else ":"
    return Output.concat(mount.server, between, mount.export)


def _addresses(bucket: BucketRef) -> Iterator[Output[str]]:
    for each in bucket.buckets:
        yield Output.concat(f"{bucket.name} s3://", each, "\n")


def _sender(cluster: AwsClusterSpec, metrics: MetricsWorkspace) -> Output[str]:
    """Return the address to which the head node sends metrics, and the region for which it signs them."""
    remote = cluster.monitoring.remote_write if cluster.monitoring else None
    return Output.concat(metrics.write_url, f" {remote.region(cluster.region) if remote else cluster.region}\n")
