"""Buckets for data: one that grows cold by itself, and one as fast as it gets, in the zone of the nodes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pulumi
import pulumi_aws as aws

from hpc_components.aws.catalog.filesystems import s3_class
from hpc_components.aws.components.policies import arn
from hpc_components.aws.components.private_bucket import make_private_bucket
from hpc_components.aws.components.retention import data_options
from hpc_components.ports import Tags

__all__ = ["DataBucket", "DataBucketArgs", "ExpressDataBucket", "ExpressDataBucketArgs", "express_bucket_name"]

OLD_VERSIONS_DAYS = 30
"""How long overwritten and deleted objects are kept."""

ABANDONED_UPLOADS_DAYS = 7
"""Age at which parts of an upload that was never finished are deleted; they cost as objects do."""

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_EXPRESS_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class DataBucketArgs:
    """Arguments of `DataBucket`."""

    bucket_name: str | None = None
    """Its name, unique in the world; default: the component's name with a random end."""
    archive: Mapping[str, int] = field(default_factory=dict)
    """Days of age at which objects move, by storage class (`{"deep_archive": 180}`)."""
    expire_days: int | None = None
    """Delete objects of this age."""
    versioning: bool = True
    """Keep overwritten and deleted objects for 30 days."""
    retain: bool = True
    """Protect it, and leave it in the cloud when it leaves the program. Without, its content is deleted with it."""
    tags: Tags
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what S3 would refuse."""
        if self.bucket_name is not None and not _NAME.fullmatch(self.bucket_name):
            raise ValueError(
                f"DataBucketArgs.bucket_name: {self.bucket_name!r} is no bucket name;"
                " use 3 to 63 lower-case letters, digits, . and -"
            )
        _check_ages(self.archive, self.expire_days)


class DataBucket(pulumi.ComponentResource):
    """A private S3 bucket whose objects move to cheaper storage classes with age."""

    bucket_name: pulumi.Output[str]
    """Name."""
    arn: pulumi.Output[str]
    """ARN."""
    url: pulumi.Output[str]
    """`s3://<name>`: what a Lustre file system is linked to."""

    def __init__(self, name: str, args: DataBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        summary = {"archive": dict(args.archive), "versioning": args.versioning}
        super().__init__("hpc:aws:DataBucket", name, summary, opts)
        bucket, versioning = make_private_bucket(
            name,
            bucket_name=args.bucket_name,
            versioning=args.versioning,
            force_destroy=not args.retain,
            tags=args.tags,
            opts=data_options(self, opts, retain=args.retain),
        )
        aws.s3.BucketLifecycleConfiguration(
            f"{name}-lifecycle",
            bucket=bucket.bucket,
            rules=_lifecycle(args),
            opts=pulumi.ResourceOptions(parent=self, deleted_with=bucket, depends_on=[versioning]),
        )
        self.bucket_name = bucket.bucket
        self.arn = bucket.arn
        self.url = pulumi.Output.concat("s3://", bucket.bucket)
        self.register_outputs({"bucketName": self.bucket_name, "arn": self.arn})


@dataclass(frozen=True, kw_only=True)
class ExpressDataBucketArgs:
    """Arguments of `ExpressDataBucket`."""

    base: str
    """How the names begin; the rest is `-<shard>--<zone>--x-s3`. Unique in the zone, over all accounts."""
    zone: str
    """Zone id of the nodes that read it."""
    shards: int = 1
    """Number of buckets over which data is spread."""
    retain: bool = True
    """Protect them, and leave them in the cloud when they leave the program. Without, their content goes too."""
    tags: Tags
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what S3 would refuse."""
        if self.shards < 1:
            raise ValueError(f"ExpressDataBucketArgs.shards: {self.shards} buckets hold nothing; give 1 or more")
        longest = express_bucket_name(self.base, self.zone, self.shards - 1)
        if not _EXPRESS_NAME.fullmatch(self.base) or len(longest) > 63:
            raise ValueError(
                f"ExpressDataBucketArgs.base: {self.base!r} makes {longest!r}, which is no bucket name;"
                " use lower-case letters, digits and -, 63 characters in all"
            )


class ExpressDataBucket(pulumi.ComponentResource):
    """S3 Express One Zone: directory buckets in one zone. No copies elsewhere, no versions, no archive."""

    bucket_names: tuple[pulumi.Output[str], ...]
    """Names, by shard."""
    arns: tuple[pulumi.Output[str], ...]
    """ARNs, by shard."""
    arn_patterns: tuple[str, ...]
    """What stands for all of `arns` in a policy, whose length IAM limits."""

    def __init__(self, name: str, args: ExpressDataBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("hpc:aws:ExpressDataBucket", name, {"zone": args.zone, "shards": args.shards}, opts)
        buckets = [
            aws.s3.DirectoryBucket(
                f"{name}-{shard}",
                bucket=express_bucket_name(args.base, args.zone, shard),
                location=aws.s3.DirectoryBucketLocationArgs(name=args.zone, type="AvailabilityZone"),
                data_redundancy="SingleAvailabilityZone",
                force_destroy=not args.retain,
                tags=args.tags.of(f"{name}-{shard}"),
                opts=data_options(self, opts, retain=args.retain),
            )
            for shard in range(args.shards)
        ]
        self.bucket_names = tuple(bucket.bucket for bucket in buckets)
        self.arns = tuple(bucket.arn for bucket in buckets)
        self.arn_patterns = tuple(
            arn("s3express", f"bucket/{express_bucket_name(args.base, args.zone, '?' * digits)}")
            for digits in range(1, len(str(args.shards - 1)) + 1)
        )
        self.register_outputs({"bucketNames": list(self.bucket_names)})


def express_bucket_name(base: str, zone: str, shard: int | str) -> str:
    """The name of one shard, in the form that S3 demands.

    Shards are numbered even if there is one, so that adding some renames none.
    """
    return f"{base}-{shard}--{zone}--x-s3"


def _check_ages(archive: Mapping[str, int], expire_days: int | None) -> None:
    for name, days in archive.items():
        storage_class = s3_class(name)
        if storage_class is None or name == "standard":
            raise ValueError(
                f"DataBucketArgs.archive: S3 has no class {name!r} to move to;"
                " use standard_ia, glacier_ir, glacier or deep_archive"
            )
        if days < storage_class.min_days_before:
            raise ValueError(
                f"DataBucketArgs.archive[{name!r}]: {days} days are too few;"
                f" S3 moves objects there at {storage_class.min_days_before} or more"
            )
    by_age = [name for name, _ in sorted(archive.items(), key=lambda item: item[1])]
    for earlier, later in pairwise(by_age):
        if _COLDER.index(earlier) >= _COLDER.index(later) or archive[earlier] == archive[later]:
            raise ValueError(
                f"DataBucketArgs.archive: objects can't move from {earlier} to {later};"
                f" ages must rise in the order {', '.join(_COLDER)}"
            )
        least = archive[earlier] + _days_kept(earlier)
        if archive[later] < least:
            raise ValueError(
                f"DataBucketArgs.archive[{later!r}]: S3 moves objects on from {earlier}"
                f" after {_days_kept(earlier)} days there, at {least}, not {archive[later]}"
            )
    oldest = max(archive.values(), default=0)
    if expire_days is not None and expire_days <= oldest:
        raise ValueError(
            f"DataBucketArgs.expire_days: {expire_days} days, but objects of {oldest} days are still moved;"
            " expire them later"
        )


def _days_kept(name: str) -> int:
    """How long objects stay in a class before a lifecycle rule may move them on.

    Source: S3's own error, "'Days' in the 'Transition' action for StorageClass 'DEEP_ARCHIVE' must be 90 days more".
    """
    storage_class = s3_class(name)
    return storage_class.min_days_kept if storage_class else 0


_COLDER = ("standard_ia", "intelligent_tiering", "onezone_ia", "glacier_ir", "glacier", "deep_archive")
"""Lifecycle rules move objects down this list only. Source: S3 user guide, "Supported transitions"."""


def _lifecycle(args: DataBucketArgs) -> list[aws.s3.BucketLifecycleConfigurationRuleArgs]:
    rules = [
        _rule(
            "abandoned-uploads",
            abort_incomplete_multipart_upload=(
                aws.s3.BucketLifecycleConfigurationRuleAbortIncompleteMultipartUploadArgs(
                    days_after_initiation=ABANDONED_UPLOADS_DAYS
                )
            ),
        )
    ]
    if args.versioning:
        rules.append(
            _rule(
                "old-versions",
                noncurrent_version_expiration=(
                    aws.s3.BucketLifecycleConfigurationRuleNoncurrentVersionExpirationArgs(
                        noncurrent_days=OLD_VERSIONS_DAYS
                    )
                ),
                expiration=aws.s3.BucketLifecycleConfigurationRuleExpirationArgs(expired_object_delete_marker=True),
            )
        )
    if args.archive:
        moves = [
            aws.s3.BucketLifecycleConfigurationRuleTransitionArgs(days=days, storage_class=name.upper())
            for name, days in sorted(args.archive.items(), key=lambda item: item[1])
        ]
        rules.append(_rule("archive", transitions=moves))
    if args.expire_days is not None:
        end = aws.s3.BucketLifecycleConfigurationRuleExpirationArgs(days=args.expire_days)
        rules.append(_rule("expire", expiration=end))
    return rules


def _rule(id: str, **does: Any) -> aws.s3.BucketLifecycleConfigurationRuleArgs:
    everything = aws.s3.BucketLifecycleConfigurationRuleFilterArgs(prefix="")
    return aws.s3.BucketLifecycleConfigurationRuleArgs(id=id, status="Enabled", filter=everything, **does)
