from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp

from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.data_bucket.offer import BucketOrder, classes, lifecycle_refusals, refusals
from hpc_components.gcp.ports import BucketRef
from hpc_components.gcp.tags import Tags
from hpc_components.resource_options import protected_options
from hpc_components.spec.surfaces import Key, Keys, refuse_first

OLD_VERSIONS_DAYS = 30
"""Number of days to keep overwritten and deleted objects."""

_ARGS = "DataBucketArgs"

_ARGUMENTS: Keys = {
    "archive": Key(("archive",)),
    "autoclass": Key(("autoclass",)),
    "folders": Key(("folders",)),
    "versioning": Key(("versioning",)),
}
"""Maps each field of `BucketOrder` to its argument."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataBucketArgs:
    """Arguments of `DataBucket`."""

    project: str
    """Id of the project."""
    region: str
    """Region of the bucket. Google keeps copies of the data in several zones."""
    bucket_name: str | None = None
    """Globally unique bucket name. Default: the component's name with a random suffix."""
    archive: Mapping[str, int] = field(default_factory=dict)
    """Age in days at which objects move to each storage class, e.g. `{"nearline": 30, "archive": 365}`."""
    autoclass: bool = False
    """Whether Google moves objects between storage classes based on when they were last accessed (instead of
    `archive`)."""
    expire_days: int | None = None
    """Age in days at which objects are deleted."""
    versioning: bool = True
    """Whether overwritten and deleted objects are kept for 30 days."""
    folders: bool = False
    """Whether the bucket has a hierarchical namespace, with folders that can be renamed atomically. Can't be changed
    later, and can't be combined with `versioning`."""
    retain: bool = True
    """Whether to protect the bucket and keep it in the cloud when it is removed from the program. Otherwise the
    bucket is deleted with its contents."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        if self.bucket_name is not None and (wrong := wrong_name("bucket", self.bucket_name)):
            raise ValueError(f"{_ARGS}.bucket_name: {wrong[0]}; {wrong[1]}")
        for refusal in lifecycle_refusals(self.archive, self.expire_days):
            raise ValueError(f"{_ARGS}.{_wrong_age(self, refusal)}")
        order = BucketOrder(
            archive=bool(self.archive),
            autoclass=self.autoclass,
            folders=self.folders,
            versioning=self.versioning,
        )
        refuse_first(self, refusals(order), _ARGUMENTS)


class DataBucket(Component[DataBucketArgs]):
    """A private bucket. Access is granted only through IAM roles, not through access lists on objects."""

    bucket_name: pulumi.Output[str]
    """Name of the bucket."""
    url: pulumi.Output[str]
    """URL of the bucket, `gs://<bucket>`."""

    def _make(self, name: str, args: DataBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"archive": dict(args.archive), "versioning": args.versioning, "folders": args.folders}
        self._register("hpc:gcp:DataBucket", name, summary, opts)
        storage = gcp.storage
        bucket = storage.Bucket(
            name,
            name=args.bucket_name,
            project=args.project,
            location=args.region,
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            hierarchical_namespace=storage.BucketHierarchicalNamespaceArgs(enabled=True) if args.folders else None,
            autoclass=_autoclass() if args.autoclass else None,
            versioning=storage.BucketVersioningArgs(enabled=args.versioning),
            # by default, Google would keep deleted objects, and bill for them, for another week
            soft_delete_policy=storage.BucketSoftDeletePolicyArgs(retention_duration_seconds=0),
            lifecycle_rules=_lifecycle(args) or None,
            force_destroy=not args.retain,
            labels=args.tags.for_resource(name),
            opts=protected_options(self, opts, retain=args.retain),
        )
        self.bucket_name = bucket.name
        self.url = pulumi.Output.concat("gs://", bucket.name)
        self.register_outputs({"bucket": self.bucket_name, "url": self.url})

    def bucket(self, name: str) -> BucketRef:
        """Return a reference to the bucket for use by other components. `name` is the bucket's name in the
        description.
        """
        return BucketRef(name=name, bucket=self.bucket_name, url=self.url)


def _autoclass() -> "gcp.storage.BucketAutoclassArgs":
    """Return Autoclass settings that include the coldest storage class, because Autoclass moves objects back to
    `standard` free of charge when they are read.
    """
    return gcp.storage.BucketAutoclassArgs(enabled=True, terminal_storage_class="ARCHIVE")


def _lifecycle(args: DataBucketArgs) -> "list[gcp.storage.BucketLifecycleRuleArgs]":
    storage = gcp.storage
    rules = [
        storage.BucketLifecycleRuleArgs(
            action=storage.BucketLifecycleRuleActionArgs(type="SetStorageClass", storage_class=name.upper()),
            condition=storage.BucketLifecycleRuleConditionArgs(age=days, with_state="LIVE"),
        )
        for name, days in args.archive.items()
    ]
    delete = storage.BucketLifecycleRuleActionArgs(type="Delete")
    if args.expire_days is not None:
        old = storage.BucketLifecycleRuleConditionArgs(age=args.expire_days, with_state="LIVE")
        rules.append(storage.BucketLifecycleRuleArgs(action=delete, condition=old))
    if args.versioning:
        kept = storage.BucketLifecycleRuleConditionArgs(
            days_since_noncurrent_time=OLD_VERSIONS_DAYS, with_state="ARCHIVED"
        )
        rules.append(storage.BucketLifecycleRuleArgs(action=delete, condition=kept))
    return rules


def _wrong_age(args: DataBucketArgs, refusal: Refusal) -> str:
    """Return the error message for an age that Google would refuse."""
    name, warmer = refusal.field, refusal.because_of
    ages = {**args.archive, "expire": args.expire_days or 0}
    where = "expire_days" if name == "expire" else f"archive[{name!r}]"
    if refusal.why is Why.UNKNOWN:
        return f"archive: {name!r} is not a colder Cloud Storage class; use {', '.join(map(str, refusal.allowed))}"
    if warmer is None:
        does = "deletes objects" if name == "expire" else "moves objects there"
        return (
            f"{where}: the age {ages[name]} is too low; Google {does} only at an age of {refusal.allowed[0]} "
            "days or more"
        )
    if name == "expire":
        return (
            f"{where}: objects would expire at {ages[name]} days but still change class at {ages[warmer]} days; "
            "expire them later"
        )
    order = ", ".join(classes())
    return (
        f"{where}: {ages[name]} days, but {warmer} is set to {ages[warmer]} days; ages must increase in the order "
        f"{order}"
    )
