"""The link between a Managed Lustre file system and a Blob container: who may use it, and what is copied when."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.arm_ids import arm_id, wrong_arm_id
from hpc_components.azure.catalog.blob_urls import BlobUrl, blob_url, wrong_blob_url
from hpc_components.azure.catalog.lustre import change_refusals, link_refusals
from hpc_components.azure.catalog.roles import role_id
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags
from hpc_components.catalog.refusal import Refusal, Why

Change = Literal["new", "changed", "deleted"]

ROLES = {"account": "Storage Account Contributor", "blobs": "Storage Blob Data Contributor"}
"""What the service principal must have. Source: Azure Managed Lustre documentation, "Blob integration prerequisites".
"""

UNTIL_KNOWN = timedelta(minutes=5)
"""How long it takes at most until Azure knows a new role assignment everywhere. Source: as `ROLES`."""

NOTHING = "/nothing-is-called-this"
"""Prefix of an import that finds nothing. Source: Azure Managed Lustre documentation, "Filter blob imports"."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreLink:
    """A Blob container whose objects appear as files, and are loaded when first read."""

    account_id: Input[str]
    """Id of the storage account. It is in the file system's region, has shared keys enabled and no anonymous access;
    for `auto_import` its change feed is on and kept for seven days or longer, and it has no hierarchical namespace.
    """
    bucket: str
    """`https://<account>.blob.core.windows.net/<container>[/<prefix>]`."""
    log_bucket: str
    """Where Azure writes the log of imports and exports: another container of the same account."""
    auto_import: tuple[Change, ...] = ()
    """Which changes in the container appear in the file system by themselves. Without any, what is in the container
    when the file system is made appears, and nothing later."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Which changes in the file system go to the container: `new` and `changed`, or none. Nothing in it is ever
    deleted. Azure either imports or exports by itself: at most one of both can be given."""
    principal_id: Input[str] | None = None
    """Object id, in your tenant, of the service principal `HPC Cache Resource Provider`, which gets two roles on the
    account. None: it has them already."""

    def check(self, path: str) -> None:
        """ValueError for what Azure would refuse, with its place below `path`."""
        urls = {}
        for field in ("bucket", "log_bucket"):
            text = getattr(self, field)
            if wrong := wrong_blob_url(text):
                raise ValueError(f"{path}.{field}: {text!r} is no container: {wrong[0]}; {wrong[1]}")
            urls[field] = self._url(text)
        for refusal in link_refusals(urls["bucket"], urls["log_bucket"]):
            raise ValueError(f"{path}.{refusal.field}: {_refused(self, refusal)}")
        self._check_account(path, urls["bucket"].account)
        self._check_changes(path)

    def _check_account(self, path: str, name: str) -> None:
        if not isinstance(self.account_id, str):
            return
        if wrong := wrong_arm_id(self.account_id, "storage_account"):
            raise ValueError(f"{path}.account_id: {self.account_id!r}: {wrong[0]}; {wrong[1]}")
        account = arm_id(self.account_id, "storage_account")
        if account is not None and account.name != name:
            raise ValueError(
                f"{path}.account_id: it is that of {account.name}, but bucket is in {name}; use one of both"
            )

    def _check_changes(self, path: str) -> None:
        for refusal in change_refusals(self.auto_import, self.auto_export):
            raise ValueError(f"{path}.{refusal.field}: {_wrong_changes(self, refusal)}")

    @property
    def prefix(self) -> str:
        """The prefix of objects, as Azure writes it: `/` for all."""
        return f"/{self._url(self.bucket).prefix}"

    def container_id(self, url: str) -> pulumi.Output[str]:
        """Id of the container with that address."""
        return pulumi.Output.concat(self.account_id, "/blobServices/default/containers/", self._url(url).container)

    @staticmethod
    def _url(text: str) -> BlobUrl:
        url = blob_url(text)
        assert url is not None, "checked when the arguments were made"
        return url


def _refused(link: LustreLink, refusal: Refusal) -> str:
    """Why Azure would refuse the containers, and the remedy."""
    if refusal.why is Why.NOT_SOLD:
        return f"the log goes to a whole container; use {refusal.allowed[0]}"
    if refusal.allowed:
        return f"the log goes to a container of the same account; use one in {refusal.allowed[0]}"
    return f"{link.log_bucket!r} is the container of the data; name another one of its account"


def _wrong_changes(link: LustreLink, refusal: Refusal) -> str:
    """Why Azure would not copy these changes, and the remedy."""
    if refusal.why is Why.UNKNOWN:
        unknown = min({*getattr(link, refusal.field)} - {*refusal.allowed})
        return f"{unknown!r} is no change; use {', '.join(map(str, refusal.allowed))}"
    if refusal.why is Why.NOT_TAKEN:
        return "Azure runs one of import and export at a time; empty one of auto_import and auto_export"
    if refusal.field == "auto_import":
        return "Azure imports new objects always; add new, or leave it empty"
    return "Azure exports new and changed files, or none; name both, or leave it empty"


def grant_roles(name: str, link: LustreLink, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """The roles that the service principal needs before a file system is made, known to all of Azure when done.

    Azure can't tell beforehand that a role is missing: the file system fails after minutes. So `pulumi up` waits
    until a new assignment is five minutes old, the time that Azure gives; that it is always enough is not proved.
    """
    if link.principal_id is None:
        return []
    authorization = azure_native.authorization
    return [
        authorization.RoleAssignment(
            f"{name}-{what}",
            scope=link.account_id,
            principal_id=link.principal_id,
            principal_type=authorization.PrincipalType.SERVICE_PRINCIPAL,
            role_definition_id=f"/providers/Microsoft.Authorization/roleDefinitions/{role_id(role)}",
            description=f"Lets Managed Lustre copy between {name} and its container",
            opts=pulumi.ResourceOptions.merge(
                opts,
                pulumi.ResourceOptions(
                    hooks=pulumi.ResourceHookBinding(after_create=[_wait_until_known]),
                    # Azure answers with the id below the subscription; a refresh would find another role in it
                    ignore_changes=["roleDefinitionId"],
                ),
            ),
        )
        for what, role in ROLES.items()
    ]


async def _wait_until_known(assignment: pulumi.ResourceHookArgs) -> None:
    """Wait until all of Azure knows a new role assignment."""
    await asyncio.sleep(seconds_until_known(assignment.new_outputs or {}, datetime.now(UTC)))


def seconds_until_known(assignment: Mapping[str, Any], now: datetime) -> float:
    """How long to wait still for a role assignment with these outputs; 0 where Azure does not say how old it is."""
    try:
        created = datetime.fromisoformat(str(assignment["createdOn"]))
        left = created + UNTIL_KNOWN - now
    except (KeyError, TypeError, ValueError):
        return 0
    return max(timedelta(), min(left, UNTIL_KNOWN)).total_seconds()


def hsm_settings(link: LustreLink) -> "azure_native.storagecache.AmlFilesystemHsmArgs":
    """The link, as it is made with the file system. An automatic import begins with all objects, so that nothing is
    imported before."""
    settings = azure_native.storagecache.AmlFilesystemHsmSettingsArgs(
        container=link.container_id(link.bucket),
        logging_container=link.container_id(link.log_bucket),
        import_prefix=NOTHING if link.auto_import else link.prefix,
    )
    return azure_native.storagecache.AmlFilesystemHsmArgs(settings=settings)


def make_job(
    name: str,
    link: LustreLink,
    *,
    file_system: "azure_native.storagecache.AmlFilesystem",
    group: Group,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    """What copies changes by itself, in the one direction that is asked for.

    Azure runs one job at a time, and answers a second one with an error. The first import goes on after the file
    system is there, so that no dependency can wait for it: an export may be refused, and the next `pulumi up` makes
    it. Source: Azure Managed Lustre documentation, "Use Azure Blob storage", considerations for blob import jobs.
    """
    storagecache = azure_native.storagecache
    common: dict[str, Any] = {
        "resource_group_name": group.name,
        "location": group.location,
        "aml_filesystem_name": file_system.name,
    }
    if link.auto_import:
        modes = storagecache.ConflictResolutionMode
        storagecache.AutoImportJob(
            f"{name}-import",
            auto_import_prefixes=[link.prefix],
            conflict_resolution_mode=modes.OVERWRITE_IF_DIRTY if "changed" in link.auto_import else modes.SKIP,
            enable_deletions="deleted" in link.auto_import,
            maximum_errors=-1,  # they are in the log; a job that ends at the first one imports nothing more
            admin_status=storagecache.AdminStatus.ENABLE,
            tags=tags.for_resource(f"{name}-import"),
            opts=opts,
            **common,
        )
    if link.auto_export:
        storagecache.AutoExportJob(
            f"{name}-export",
            auto_export_prefixes=[link.prefix],
            admin_status=storagecache.AutoExportJobAdminStatus.ENABLE,
            tags=tags.for_resource(f"{name}-export"),
            opts=opts,
            **common,
        )
