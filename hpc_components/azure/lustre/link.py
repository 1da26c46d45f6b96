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
from hpc_components.azure.catalog.blob_urls import BlobUrl, blob_url
from hpc_components.azure.catalog.roles import role_id
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags

Change = Literal["new", "changed", "deleted"]

ROLES = {"account": "Storage Account Contributor", "blobs": "Storage Blob Data Contributor"}
"""Roles that Managed Lustre's service principal needs. Source: Azure Managed Lustre documentation, "Blob
integration prerequisites"."""

ROLE_DELAY = timedelta(minutes=5)
"""Maximum time that a new role assignment takes to become effective. Source: see `ROLES`."""

NO_OBJECT_PREFIX = "/nothing-is-called-this"
"""Import prefix that matches no objects. Source: Azure Managed Lustre documentation, "Filter blob imports"."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class LustreLink:
    """A Blob container whose objects appear as files. The content of a file is loaded when the file is first read."""

    account_id: Input[str]
    """Id of the storage account. The account must be in the file system's region, allow shared keys, and not allow
    anonymous access. `auto_import` also requires a change feed that is kept for at least seven days, and an account
    without a hierarchical namespace."""
    bucket: str
    """URL of the container, `https://<account>.blob.core.windows.net/<container>[/<prefix>]`."""
    log_bucket: str
    """URL of another container in the same account, where Azure writes the import and export logs."""
    auto_import: tuple[Change, ...] = ()
    """Changes in the container that Azure imports automatically. If empty, the file system shows only the objects
    that exist when it is created."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Changes in the file system that Azure exports automatically: `new` and `changed`, or none. Exports never delete
    objects. `auto_import` and `auto_export` can't be combined."""
    principal_id: Input[str] | None = None
    """Object id of the service principal `HPC Cache Resource Provider` in your tenant, to which two roles on the
    account are assigned. Use None if the service principal already has these roles."""

    def check_account(self, path: str) -> None:
        """Raise ValueError if `account_id` is not the id of the account that contains `bucket`. `path` locates the
        link in error messages.
        """
        if not isinstance(self.account_id, str):
            return
        if wrong := wrong_arm_id(self.account_id, "storage_account"):
            raise ValueError(f"{path}.account_id: {self.account_id!r}: {wrong[0]}; {wrong[1]}")
        account, name = arm_id(self.account_id, "storage_account"), self._url(self.bucket).account
        if account is not None and account.name != name:
            raise ValueError(
                f"{path}.account_id: the account is {account.name}, but the bucket is in {name}; use the same "
                "account for both"
            )

    @property
    def prefix(self) -> str:
        """Prefix of the linked objects, with a leading slash; `/` for all objects."""
        return f"/{self._url(self.bucket).prefix}"

    def container_id(self, url: str) -> pulumi.Output[str]:
        """Return the id of the container at this URL."""
        return pulumi.Output.concat(self.account_id, "/blobServices/default/containers/", self._url(url).container)

    @staticmethod
    def _url(text: str) -> BlobUrl:
        url = blob_url(text)
        assert url is not None, "validated when the arguments were created"
        return url


def grant_roles(name: str, link: LustreLink, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """Assign the roles that the service principal needs before the file system is created, and wait until they take
    effect.

    If a role is missing, Azure fails to create the file system, but only after several minutes. `pulumi up` therefore
    waits until a new assignment is five minutes old, as Azure's documentation recommends. We have no proof that this
    is always long enough.
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
                    # Azure adds the subscription to the id, so a refresh would report a different role
                    ignore_changes=["roleDefinitionId"],
                ),
            ),
        )
        for what, role in ROLES.items()
    ]


async def _wait_until_known(assignment: pulumi.ResourceHookArgs) -> None:
    await asyncio.sleep(seconds_until_known(assignment.new_outputs or {}, datetime.now(UTC)))


def seconds_until_known(assignment: Mapping[str, Any], now: datetime) -> float:
    """Return how many seconds to wait for a role assignment with these outputs, or 0 if its age is unknown."""
    try:
        created = datetime.fromisoformat(str(assignment["createdOn"]))
        left = created + ROLE_DELAY - now
    except (KeyError, TypeError, ValueError):
        return 0
    return max(timedelta(), min(left, ROLE_DELAY)).total_seconds()


def hsm_settings(link: LustreLink) -> "azure_native.storagecache.AmlFilesystemHsmArgs":
    """Return the link settings for a new file system.

    If automatic import is on, the initial import matches no objects, because the automatic import job begins by
    importing all objects.
    """
    settings = azure_native.storagecache.AmlFilesystemHsmSettingsArgs(
        container=link.container_id(link.bucket),
        logging_container=link.container_id(link.log_bucket),
        import_prefix=NO_OBJECT_PREFIX if link.auto_import else link.prefix,
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
    """Create the job that copies changes automatically, in the direction that the link specifies.

    Azure runs only one job at a time and refuses a second one. The initial import continues after the file system has
    been created, and no dependency can wait for it to finish. Azure may therefore refuse an export job at first; the
    next `pulumi up` creates it. Source: Azure Managed Lustre documentation, "Use Azure Blob storage", considerations
    for blob import jobs.
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
            maximum_errors=-1,  # -1 means no limit: a failed object is logged, and the import continues
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
