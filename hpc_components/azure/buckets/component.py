from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.blob_urls import BLOB_SUFFIXES
from hpc_components.azure.catalog.lifecycle import lifecycle_refusals, tiers
from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.components.storage_account import make_storage_account
from hpc_components.azure.network.endpoints import make_private_endpoint
from hpc_components.azure.ports import BucketRef, Group, Network
from hpc_components.azure.tags import Tags
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.component import Component
from hpc_components.resource_options import protected_options

CONTAINER = "data"

OLD_VERSIONS_DAYS = 30


@dataclass(frozen=True, kw_only=True)
@checked_args
class DataBucketArgs:
    """Arguments of `DataBucket`."""

    account_name: str | None = None
    """Globally unique name of the storage account; default: the component's name with a random suffix."""
    archive: Mapping[str, int] = field(default_factory=dict)
    """Age in days at which objects move to an access tier, keyed by tier, e.g. `{"cool": 30, "archive": 180}`."""
    expire_days: int | None = None
    """Age in days at which objects are deleted; default: never."""
    versioning: bool = True
    """Whether to keep overwritten and deleted objects for 30 days."""
    group: Group
    """Resource group of the storage account."""
    network: Network | None = None
    """Network in which to create a private endpoint for the account, if the network has a DNS zone for `blob`. Anyone
    who has a role on the account can also use its public endpoint."""
    retain: bool = True
    """Whether to protect the bucket and keep it in the cloud when it is removed from the program. If false, the
    bucket is deleted along with its content."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError for arguments that Azure would refuse."""
        if self.account_name is not None and (wrong := wrong_name("storage_account", self.account_name)):
            reason, remedy = wrong
            raise ValueError(
                f"DataBucketArgs.account_name: {self.account_name!r} is not a valid account name: {reason}; {remedy}"
            )
        for refusal in lifecycle_refusals(self.archive, self.expire_days):
            raise ValueError(f"DataBucketArgs.{_wrong_age(self, refusal)}")


class DataBucket(Component[DataBucketArgs]):
    """A private container in its own storage account.

    The account has no keys, so access is possible only through roles. All copies of the data are in one datacenter
    (LRS), because accounts with copies in several zones don't support the archive tier.
    """

    account_name: pulumi.Output[str]
    """Name of the storage account."""
    container_name: pulumi.Output[str]
    """Name of the container."""
    container_id: pulumi.Output[str]
    """Id of the container, which is the scope of role assignments."""
    url: pulumi.Output[str]
    """URL of the container, `https://<account>.blob.core.windows.net/<container>`."""

    def _make(self, name: str, args: DataBucketArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"archive": dict(args.archive), "versioning": args.versioning}
        self._register("hpc:azure:DataBucket", name, summary, opts)
        storage, group = azure_native.storage, args.group
        data, child = protected_options(self, opts, retain=args.retain), pulumi.ResourceOptions(parent=self)
        account = make_storage_account(
            name,
            account_name=args.account_name,
            group=group,
            kind=storage.Kind.STORAGE_V2,
            sku=storage.SkuName.STANDARD_LRS,
            tags=args.tags,
            said=opts,
            opts=data,
        )
        container = storage.BlobContainer(
            f"{name}-container",
            resource_group_name=group.name,
            account_name=account.name,
            container_name=CONTAINER,
            public_access=storage.PublicAccess.NONE,
            opts=pulumi.ResourceOptions.merge(data, pulumi.ResourceOptions(deleted_with=account)),
        )
        _make_settings(name, args, account, pulumi.ResourceOptions(parent=self, deleted_with=account))
        if args.network is not None:
            make_private_endpoint(
                name, "blob", target=account.id, group=group, network=args.network, tags=args.tags, opts=child
            )
        self.account_name, self.container_name = account.name, container.name
        self.container_id = container.id
        self.url = pulumi.Output.concat("https://", account.name, f".{BLOB_SUFFIXES[0]}/", container.name)
        self.register_outputs({"accountName": self.account_name, "url": self.url})

    def bucket(self, name: str) -> BucketRef:
        """Return a reference to the bucket for other components. `name` is the bucket's name in the description."""
        return BucketRef(
            name=name,
            account=self.account_name,
            container=self.container_name,
            id=self.container_id,
            url=self.url,
        )


def _make_settings(
    name: str, args: DataBucketArgs, account: "azure_native.storage.StorageAccount", opts: pulumi.ResourceOptions
) -> None:
    storage = azure_native.storage
    kept = storage.DeleteRetentionPolicyArgs(
        enabled=args.versioning, days=OLD_VERSIONS_DAYS if args.versioning else None
    )
    service = storage.BlobServiceProperties(
        f"{name}-service",
        resource_group_name=args.group.name,
        account_name=account.name,
        blob_services_name="default",
        is_versioning_enabled=args.versioning,
        delete_retention_policy=kept,
        container_delete_retention_policy=kept,
        opts=opts,
    )
    if rules := _lifecycle(args):
        storage.ManagementPolicy(
            f"{name}-lifecycle",
            resource_group_name=args.group.name,
            account_name=account.name,
            management_policy_name="default",
            policy=storage.ManagementPolicySchemaArgs(rules=rules),
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[service])),
        )


def _lifecycle(args: DataBucketArgs) -> "list[azure_native.storage.ManagementPolicyRuleArgs]":
    """Return the account's lifecycle rules. Rule names may contain only letters and digits."""
    storage = azure_native.storage

    def at(days: int | None) -> azure_native.storage.DateAfterModificationArgs | None:
        return (
            storage.DateAfterModificationArgs(days_after_modification_greater_than=days) if days is not None else None
        )

    rules = []
    if args.archive:
        moves = storage.ManagementPolicyBaseBlobArgs(
            tier_to_cool=at(args.archive.get("cool")),
            tier_to_cold=at(args.archive.get("cold")),
            tier_to_archive=at(args.archive.get("archive")),
        )
        rules.append(_rule("archive", base_blob=moves))
    if args.expire_days is not None:
        rules.append(_rule("expire", base_blob=storage.ManagementPolicyBaseBlobArgs(delete=at(args.expire_days))))
    if args.versioning:
        # Azure counts a version's age from the day it was written, not from the day newer data replaced it, so this
        # rule may delete a version that was replaced only a day ago. Soft delete then keeps the version for another
        # 30 days, as promised.
        old = storage.DateAfterCreationArgs(days_after_creation_greater_than=OLD_VERSIONS_DAYS)
        rules.append(_rule("versions", version=storage.ManagementPolicyVersionArgs(delete=old)))
    return rules


def _rule(
    name: str,
    base_blob: "azure_native.storage.ManagementPolicyBaseBlobArgs | None" = None,
    version: "azure_native.storage.ManagementPolicyVersionArgs | None" = None,
) -> "azure_native.storage.ManagementPolicyRuleArgs":
    storage = azure_native.storage
    return storage.ManagementPolicyRuleArgs(
        name=name,
        type=storage.RuleType.LIFECYCLE,
        enabled=True,
        definition=storage.ManagementPolicyDefinitionArgs(
            filters=storage.ManagementPolicyFilterArgs(blob_types=["blockBlob"], prefix_match=[f"{CONTAINER}/"]),
            actions=storage.ManagementPolicyActionArgs(base_blob=base_blob, version=version),
        ),
    )


def _wrong_age(args: DataBucketArgs, refusal: Refusal) -> str:
    name, warmer = refusal.field, refusal.because_of
    ages = {**args.archive, "expire": args.expire_days or 0}
    where = "expire_days" if name == "expire" else f"archive[{name!r}]"
    if refusal.why is Why.UNKNOWN:
        return (
            f"archive: Blob Storage can't move objects to tier {name!r}; use {', '.join(map(str, refusal.allowed))}"
        )
    if warmer is None:
        does = "deletes objects" if name == "expire" else "moves objects there"
        return f"{where}: {ages[name]} days is too short; Azure {does} only from day {refusal.allowed[0]} on"
    if name == "expire":
        still = f"they would move to another tier only at {ages[warmer]} days"
        return f"{where}: objects expire at {ages[name]} days, but {still}; let them expire later"
    order = ", ".join(tiers())
    return (
        f"{where}: {ages[name]} days, but objects move to {warmer} at {ages[warmer]} days; ages must increase in "
        f"the order {order}"
    )
