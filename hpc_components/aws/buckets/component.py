from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.buckets.offer import BucketOrder, ExpressOrder, refusals
from hpc_components.aws.buckets.private_bucket import make_private_bucket
from hpc_components.aws.catalog.bucket_names import express_bucket_name
from hpc_components.aws.catalog.lifecycle import WARM_TO_COLD, lifecycle_refusals
from hpc_components.aws.identity.policies import arn
from hpc_components.aws.tags import Tags
from hpc_components.catalog import region_of_zone
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.component import Component
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

OLD_VERSIONS_DAYS = 30
"""Number of days for which overwritten and deleted objects are kept."""

ABANDONED_UPLOADS_DAYS = 7
"""Number of days after which the parts of an unfinished upload are deleted. Until then, they are billed like objects.
"""

_ARGUMENTS: Keys = {"name": Key(("bucket_name",)), "default": None}
_EXPRESS_ARGUMENTS: Keys = {
    "base": Key(("base",)),
    "zone": Key(("zone",)),
    "region": None,  # determined by the zone
    "shards": Key(("shards",)),
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataBucketArgs:
    """Arguments of `DataBucket`."""

    bucket_name: str | None = None
    """Globally unique bucket name; default: the component's name with a random suffix."""
    archive: Mapping[str, int] = field(default_factory=dict)
    """Maps a storage class to the age, in days, at which objects move to it, e.g. `{"deep_archive": 180}`."""
    expire_days: int | None = None
    """Age in days at which objects are deleted, or None to keep them."""
    kms_key: Input[str] | None = None
    """ARN of the key that encrypts the objects. Default: S3's own."""
    versioning: bool = True
    """Whether to keep overwritten and deleted objects for 30 days."""
    retain: bool = True
    """Whether to protect the bucket, and to keep it in the cloud when it is removed from the program. If false, the
    bucket is deleted along with its content."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags."""

    def __post_init__(self) -> None:
        """Raise ValueError if S3 would refuse the arguments."""
        refuse_first(self, refusals(BucketOrder(name=self.bucket_name)), _ARGUMENTS)
        _check_ages(self.archive, self.expire_days)


class DataBucket(Component[DataBucketArgs]):
    """A private S3 bucket that moves objects to cheaper storage classes as they age."""

    bucket_name: pulumi.Output[str]
    """Name of the bucket."""
    arn: pulumi.Output[str]
    """ARN of the bucket."""
    url: pulumi.Output[str]
    """URL of the bucket in the form that Lustre links need, `s3://<name>`."""

    def _make(self, name: str, args: DataBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"archive": dict(args.archive), "versioning": args.versioning}
        self._register("hpc:aws:DataBucket", name, summary, opts)
        bucket, versioning = make_private_bucket(
            name,
            bucket_name=args.bucket_name,
            kms_key=args.kms_key,
            versioning=args.versioning,
            force_destroy=not args.retain,
            tags=args.tags,
            opts=protected_options(self, opts, retain=args.retain),
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
@checked_args
class ExpressDataBucketArgs:
    """Arguments of `ExpressDataBucket`."""

    base: str
    """Prefix of the bucket names, which have the form `<base>-<shard>--<zone>--x-s3`. The prefix must be unique in
    the zone across all accounts."""
    zone: str
    """Id of the buckets' zone. Use the zone of the nodes that access the buckets."""
    shards: int = 1
    """Number of buckets to spread data across."""
    retain: bool = True
    """Whether to protect the buckets, and to keep them in the cloud when they are removed from the program. If false,
    the buckets are deleted along with their content."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags."""

    def __post_init__(self) -> None:
        """Raise ValueError if S3 would refuse the arguments."""
        region = region_of_zone("aws", self.zone) or ""
        order = ExpressOrder(base=self.base, zone=self.zone, region=region, shards=self.shards)
        refuse_first(self, refusals(order), _EXPRESS_ARGUMENTS)


class ExpressDataBucket(Component[ExpressDataBucketArgs]):
    """Directory buckets in one zone (S3 Express One Zone). Their objects are not replicated to other zones, versioned
    or archived.
    """

    bucket_names: tuple[pulumi.Output[str], ...]
    """Bucket names, in shard order."""
    arns: tuple[pulumi.Output[str], ...]
    """Bucket ARNs, in shard order."""
    arn_patterns: tuple[str, ...]
    """Patterns that match all `arns`. Policies list these patterns instead of the ARNs, because IAM limits the length
    of a policy."""

    def _make(self, name: str, args: ExpressDataBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:ExpressDataBucket", name, {"zone": args.zone, "shards": args.shards}, opts)
        buckets = [
            aws.s3.DirectoryBucket(
                f"{name}-{shard}",
                bucket=express_bucket_name(args.base, args.zone, shard),
                location=aws.s3.DirectoryBucketLocationArgs(name=args.zone, type="AvailabilityZone"),
                data_redundancy="SingleAvailabilityZone",
                force_destroy=not args.retain,
                tags=args.tags.for_resource(f"{name}-{shard}"),
                opts=protected_options(self, opts, retain=args.retain),
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


def _check_ages(archive: Mapping[str, int], expire_days: int | None) -> None:
    for refusal in lifecycle_refusals(archive, expire_days):
        ages = {**archive, "expire": expire_days or 0}
        raise ValueError(f"DataBucketArgs.{_wrong_age(ages, refusal)}")


def _wrong_age(ages: Mapping[str, int], refusal: Refusal) -> str:
    """Return an error message for the age that S3 would refuse, with a remedy."""
    name, warmer = refusal.field, refusal.because_of
    where = "expire_days" if name == "expire" else f"archive[{name!r}]"
    if refusal.why is Why.UNKNOWN:
        return (
            f"archive: S3 can't move objects to storage class {name!r}; use one of "
            f"{', '.join(map(str, refusal.allowed))}"
        )
    if warmer is None:
        does = "deletes objects" if name == "expire" else "moves objects there"
        return f"{where}: {ages[name]} is too low; S3 {does} only after {refusal.allowed[0]} or more days"
    if refusal.why is Why.NOT_SOLD:
        kept = int(refusal.allowed[0]) - ages[warmer]
        moved = f"objects must stay in {warmer} for at least {kept} days"
        return f"{where}: {moved}, so use at least {refusal.allowed[0]} days instead of {ages[name]}"
    if name == "expire":
        still = f"they move to another storage class only after {ages[warmer]} days"
        return f"{where}: objects would be deleted after {ages[name]} days, but {still}; expire them later"
    earlier, later = sorted((warmer, name), key=lambda one: ages[one])
    order = ", ".join(WARM_TO_COLD)
    return f"archive: objects can't move from {earlier} to {later}; ages must increase in the order {order}"


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
