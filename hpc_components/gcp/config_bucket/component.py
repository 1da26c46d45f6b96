from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.boot.manifest import MANIFEST, check_files, manifest
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.ports import ConfigStore
from hpc_components.gcp.tags import Tags

OLD_VERSIONS_DAYS = 30
"""Number of days to keep overwritten files."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ConfigBucketArgs:
    """Arguments of `ConfigBucket`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the bucket."""
    files: Mapping[str, Input[str]]
    """Maps paths to file contents. A node fetches `boot/<role>.sh` and everything under `common/` and `<role>/`,
    where the role is `head`, `login` or `compute`. Previews show changes to plain text, but not to text built from
    Outputs."""
    publishes: bool = False
    """Whether the head node may publish files for all nodes in the bucket, under `published/`."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse files that nodes can't fetch, files of another cluster, and empty files (Pulumi assets can't be
        empty).
        """
        check_files("ConfigBucketArgs.files", self.files, self.tags.cluster, may_be_empty=False)


class ConfigBucket(Component[ConfigBucketArgs]):
    """A private bucket with one object per file, plus a manifest. Everything in the bucket can be recreated."""

    store: ConfigStore
    """The store from which nodes fetch their configuration."""
    bucket_name: Output[str]
    """Name of the bucket."""
    project_number: Output[int]
    """Number of the project that owns the bucket."""

    def _make(self, name: str, args: ConfigBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:ConfigBucket", name, {"files": sorted(args.files)}, opts)
        self._name = name
        self._bucket = self._make_bucket(args)
        files = [self._put(path, text, []) for path, text in sorted(args.files.items())]
        # write the manifest last, so that a node that reads the manifest finds every listed file
        self._put(MANIFEST, _manifest_of(args.files), [*files])
        self.bucket_name, self.project_number = self._bucket.name, self._bucket.project_number
        self.store = ConfigStore(bucket=self.bucket_name, publishes=args.publishes)
        self.register_outputs({"bucket": self.bucket_name})

    def _make_bucket(self, args: ConfigBucketArgs) -> "gcp.storage.Bucket":
        storage = gcp.storage
        old = storage.BucketLifecycleRuleConditionArgs(
            with_state="ARCHIVED", days_since_noncurrent_time=OLD_VERSIONS_DAYS
        )
        return storage.Bucket(
            self._name,
            project=args.project,
            location=args.region,
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            versioning=storage.BucketVersioningArgs(enabled=True),
            lifecycle_rules=[
                storage.BucketLifecycleRuleArgs(
                    action=storage.BucketLifecycleRuleActionArgs(type="Delete"), condition=old
                )
            ],
            soft_delete_policy=storage.BucketSoftDeletePolicyArgs(retention_duration_seconds=0),
            force_destroy=True,
            labels=args.tags.for_resource(self._name),
            opts=pulumi.ResourceOptions(parent=self),
        )

    def _put(self, path: str, text: Input[str], after: list[pulumi.Resource]) -> "gcp.storage.BucketObject":
        return gcp.storage.BucketObject(
            f"{self._name}/{path}",
            bucket=self._bucket.name,
            name=path,
            content_type="text/plain; charset=utf-8",
            source=_asset(text),  # not `content`, which the SDK treats as a secret and hides in plans
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=after,
                deleted_with=self._bucket,
                # changed text becomes a new object with the same name, so delete the old object first
                delete_before_replace=True,
            ),
        )


def _asset(text: Input[str]) -> Input[pulumi.Asset]:
    if isinstance(text, str):
        return pulumi.StringAsset(text)
    return Output.concat(text).apply(lambda known: pulumi.StringAsset(known))


def _manifest_of(files: Mapping[str, Input[str]]) -> Input[str]:
    plain = {path: text for path, text in files.items() if isinstance(text, str)}
    return manifest(plain) if len(plain) == len(files) else Output.all(**files).apply(manifest)
