"""Links a Managed Lustre file system to a Blob container: assigns the roles, and sets what is copied and when."""

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
    """A Blob container whose objects appear as files. Their content is loaded when they are first read."""

    account_id: Input[str]
    """Id of the storage account. The account must be in the file system's region, with shared keys and without
    anonymous access. `auto_import` also needs a change feed that is kept for at least seven days, and no hierarchical
    namespace."""
    bucket: str
    """URL of the container, `https://<account>.blob.core.windows.net/<container>[/<prefix>]`."""
    log_bucket: str
    """URL of another container in the same account, where Azure writes the log of imports and exports."""
    auto_import: tuple[Change, ...] = ()
    """Changes in the container that Azure imports automatically. If empty, the file system shows only the objects
    that exist when it is created."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Changes in the file system that Azure exports automatically: `new` and `changed`, or none. Objects are never
    deleted. `auto_import` and `auto_export` can't be combined."""
    principal_id: Input[str] | None = None
    """Object id of the service principal `HPC Cache Resource Provider` in your tenant. It is assigned two roles on
    the account. Use None if it already has them."""

    def check_account(self, path: str) -> None:
        """Raise ValueError unless `account_id` names the account of `bucket`. `path` is where the link is defined."""
        if not isinstance(self.account_id, str):
            return
        if wrong := wrong_arm_id(self.account_id, "storage_account"):
            raise ValueError(f"{path}.account_id: {self.account_id!r}: {wrong[0]}; {wrong[1]}")
        account, name = arm_id(self.account_id, "storage_account"), self._url(self.bucket).account
        if account is not None and account.name != name:
            raise ValueError(
                f"{path}.account_id: it names {account.name}, but bucket is in {name}; use the same account in both"
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
        assert url is not None, "checked when the arguments were made"
        return url


def grant_roles(name: str, link: LustreLink, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """Assign the roles that the service principal needs before the file system is created, and wait for them.

    If a role is missing, Azure fails to create the file system, but only after several minutes. `pulumi up` therefore
    waits until a new assignment is five minutes old, as Azure's documentation recommends. It is not proven that this
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
                    # Azure returns the id with the subscription, which a refresh would mistake for a different role
                    ignore_changes=["roleDefinitionId"],
                ),
            ),
        )
        for what, role in ROLES.items()
    ]


async def _wait_until_known(assignment: pulumi.ResourceHookArgs) -> None:
    """Wait until a new role assignment has taken effect."""
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
    """Return the new file system's link settings. With automatic import, the initial import is left empty, because
    the automatic one starts with all objects."""
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
    been created, and no dependency can wait for it to finish. An export may therefore be refused at first; the next
    `pulumi up` then creates it. Source: Azure Managed Lustre documentation, "Use Azure Blob storage", considerations
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
            maximum_errors=-1,  # errors are logged; if the job stopped at the first one, it would import nothing more
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
