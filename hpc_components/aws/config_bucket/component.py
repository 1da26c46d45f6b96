"""The bucket for a cluster's configuration, which nodes download at boot."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.buckets.private_bucket import make_private_bucket
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.tags import Tags
from hpc_components.boot.manifest import MANIFEST, PUBLISHED, check_files, manifest
from hpc_components.component import Component


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigBucketArgs:
    """Arguments of `ConfigBucket`."""

    files: Mapping[str, Input[str]]
    """Maps paths to file contents. A node fetches `boot/<role>.sh` and everything under `common/` and `<role>/`,
    where the role is `head`, `login` or `compute`. Previews show changes to plain text, but not to Outputs."""
    publishes: bool = False
    """Whether the head node may publish files for all nodes in the bucket, under `published/`. Replaced versions of
    these files are deleted after a day."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags."""

    def __post_init__(self) -> None:
        """Refuse files that a node can't fetch, or that belong to another cluster."""
        check_files("ConfigBucketArgs.files", self.files, self.tags.cluster, may_be_empty=True)


class ConfigBucket(Component[ConfigBucketArgs]):
    """A versioned bucket with one object per file. The program can recreate all of the content, so the bucket can be
    deleted safely.
    """

    store: ConfigStore
    """The bucket, to pass to components that create nodes."""

    def _make(self, name: str, args: ConfigBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:ConfigBucket", name, {"files": sorted(args.files)}, opts)
        child = pulumi.ResourceOptions(parent=self)
        bucket, versioning = make_private_bucket(
            name, versioning=True, force_destroy=True, tags=args.tags, opts=child
        )
        if args.publishes:
            aws.s3.BucketLifecycleConfiguration(
                f"{name}-lifecycle",
                bucket=bucket.bucket,
                rules=[_expire_replaced()],
                opts=pulumi.ResourceOptions(parent=self, deleted_with=bucket, depends_on=[versioning]),
            )

        def put(path: str, text: Input[str], after: list[pulumi.Resource]) -> aws.s3.BucketObjectv2:
            return aws.s3.BucketObjectv2(
                f"{name}/{path}",
                bucket=bucket.bucket,
                key=path,
                content=text,
                content_type="text/plain; charset=utf-8",
                # leave out the cluster's extra tags, because S3 allows only ten tags per object
                tags=Tags(args.tags.cluster).for_resource(path),
                opts=pulumi.ResourceOptions(parent=self, depends_on=after),
            )

        objects = [put(path, text, [versioning]) for path, text in sorted(args.files.items())]
        # create the manifest last, so that every file it lists exists by the time a node reads it
        put(MANIFEST, _manifest_of(args.files), [*objects])
        self.store = ConfigStore(bucket=bucket.bucket, arn=bucket.arn, publishes=args.publishes)
        self.register_outputs({"bucket": bucket.bucket})


def _expire_replaced() -> aws.s3.BucketLifecycleConfigurationRuleArgs:
    """Return a rule that deletes replaced versions of published files, because the head node may publish often."""
    return aws.s3.BucketLifecycleConfigurationRuleArgs(
        id="published",
        status="Enabled",
        filter=aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix=PUBLISHED),
        noncurrent_version_expiration=(
            aws.s3.BucketLifecycleConfigurationRuleNoncurrentVersionExpirationArgs(noncurrent_days=1)
        ),
    )


def _manifest_of(files: Mapping[str, Input[str]]) -> Input[str]:
    plain = {path: text for path, text in files.items() if isinstance(text, str)}
    return manifest(plain) if len(plain) == len(files) else pulumi.Output.all(**files).apply(manifest)
