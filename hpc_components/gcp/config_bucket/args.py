from collections.abc import Iterable

from pulumi import Input, Output

from hpc_components.boot.files import boot_files
from hpc_components.gcp.config_bucket.component import ConfigBucketArgs
from hpc_components.gcp.ports import BucketRef
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount


def config_args(
    cluster: GcpClusterSpec,
    mounts: list[FileSystemMount],
    secrets_made: Input[str],
    tags: Tags,
    buckets: Iterable[BucketRef] = (),
) -> ConfigBucketArgs:
    """Return the arguments for a bucket with everything that nodes fetch: scripts, configuration, mounts and bucket
    URLs.

    `secrets_made` is `NodeSecrets.made`. No script reads this value, but a change to it changes the manifest, so that
    nodes repeat all boot steps.
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
            "common/buckets": Output.concat(*lines) if lines else "\n",  # the engine does not support empty assets
            "head/secrets": secrets_made,
            "common/mounts.json": Output.json_dumps(table, indent=1, sort_keys=True),
        },
        publishes=cluster.people is not None,
        tags=tags,
    )


def _source(mount: FileSystemMount) -> Output[str]:
    """Return the mount's device in fstab format."""
    between = "@tcp:/" if mount.type == "lustre" else ":"
    return Output.concat(mount.server, between, mount.export)
