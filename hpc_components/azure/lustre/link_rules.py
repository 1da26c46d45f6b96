import re
from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import wrong_arm_id
from hpc_components.azure.catalog.blob_urls import blob_url
from hpc_components.azure.lustre.model import ContainerLink, Lustre
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule

GUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)

PRINCIPAL = 'az ad sp list --display-name "HPC Cache Resource Provider" --query "[].id" --output tsv'
"""Command that prints the service principal's object id, which differs between tenants."""


@rule("HPC-AML-014", Level.ERROR)
def link_principal(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A linked file system must specify the object id of the service principal that copies the data.

    Before the file system is created, the principal is granted two roles on the storage account. Without these roles,
    creation fails after many minutes. Source: Azure Managed Lustre documentation, "Prerequisites", blob integration.
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.principal is None and lustre.link is not None:
            yield Problem(
                path=(*path, "link"),
                reason="Managed Lustre can't access the container, because no service principal is specified to "
                "assign the roles to",
                remedy=f"set principal to the id printed by: {PRINCIPAL}",
            )
        elif lustre.principal is not None and not GUID.fullmatch(lustre.principal):
            yield Problem(
                path=(*path, "principal"),
                value=lustre.principal,
                reason=f"{lustre.principal!r} is not an object id",
                remedy=f"use the id printed by: {PRINCIPAL}",
            )
        elif lustre.principal is not None and lustre.link is None:
            yield Problem(
                path=(*path, "principal"),
                value=lustre.principal,
                reason="principal has no effect without link, because nothing is copied",
                remedy="remove principal, or add link",
                level=Level.WARNING,
            )


@rule("HPC-AML-015", Level.ERROR)
def link_account_group(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A link must specify the id of its storage account's resource group, unless the cluster uses an existing group.

    The default is the cluster's resource group. If the description doesn't specify an existing group for the cluster,
    that group is new, so it can't contain the account. Source: Azure REST API reference, Aml Filesystems - Create Or
    Update, hsm: containers are named by resource id.
    """
    for path, _, link in _links(cluster):
        account = blob_url(link.bucket)
        if link.resource_group is None and cluster.resource_group is None and account is not None:
            yield Problem(
                path=path,
                reason=f"storage account {account.account} can't be in the cluster's own resource group, which is "
                "yet to be created",
                remedy="set resource_group to the part of the account's id before /providers; to print the id, run: "
                f"az storage account show --name {account.account} --query id",
            )
        elif link.resource_group is not None and (wrong := wrong_arm_id(link.resource_group, "resource_group")):
            yield Problem(path=(*path, "resource_group"), value=link.resource_group, reason=wrong[0], remedy=wrong[1])


@rule("HPC-AML-016", Level.ERROR)
def link_to_own_bucket(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A link must use an existing storage account, not one from `buckets`.

    Each account in `buckets` is created with a single container, but a link needs a second one for its log. Source:
    Azure Managed Lustre documentation, "Prerequisites", blob integration.
    """
    ours = {bucket.name: key for key, bucket in cluster.buckets.items() if bucket.name}
    for path, _, link in _links(cluster):
        account = blob_url(link.bucket)
        if account is not None and account.account in ours:
            yield Problem(
                path=(*path, "bucket"),
                value=link.bucket,
                reason=f"{account.account} is created by buckets.{ours[account.account]} and has only one container",
                remedy="use two containers of an existing account: one for the data and one for the log",
            )


@rule("HPC-AML-017", Level.WARNING)
def links_apart(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Two Lustre file systems should not be linked to the same objects.

    Both would contain these objects, but changes written to one would not appear in the other. Source: Azure Managed
    Lustre documentation, "Use Azure Blob storage with an Azure Managed Lustre file system".
    """
    seen: list[tuple[str, str]] = []
    for path, _, link in _links(cluster):
        url = link.bucket.rstrip("/") + "/"
        other = next((name for name, known in seen if url.startswith(known) or known.startswith(url)), None)
        if other is not None:
            yield Problem(
                path=(*path, "bucket"),
                value=link.bucket,
                reason=f"storage {other} is already linked to the same objects",
                remedy="use different containers, or prefixes that don't contain each other",
            )
        seen.append((str(path[1]), url))


@rule("HPC-AML-018", Level.INFO)
def link_account(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A link's storage account must have the settings that Managed Lustre needs.

    Source: Azure Managed Lustre documentation, "Prerequisites", blob integration, and "Auto-import".
    """
    for path, _, link in _links(cluster):
        account = blob_url(link.bucket)
        if account is not None:
            more = (
                "; auto_import also requires the change feed and doesn't work with a hierarchical namespace"
                if link.auto_import
                else ""
            )
            yield Problem(
                path=(*path, "bucket"),
                value=link.bucket,
                reason=f"the description does not show the settings of storage account {account.account}; Managed "
                f"Lustre requires the account to be in {cluster.region} and to have shared keys enabled{more}",
                remedy=f"check the settings with: az storage account show --name {account.account}",
            )


@rule("HPC-AML-023", Level.INFO)
def export_beside_import(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With automatic export, you may have to run `pulumi up` again after the container has been imported.

    Azure imports the container's content after creating the file system, and runs only one import or export at a
    time, so the first `pulumi up` may fail. A stack can't wait for the import, because Azure reports when the file
    system exists but not when the import ends. Source: Azure Managed Lustre documentation, "Use Azure Blob storage
    with Azure Managed Lustre", considerations for blob import jobs, and "Auto-export".
    """
    for path, _, link in _links(cluster):
        if link.auto_export:
            yield Problem(
                path=(*path, "bucket"),
                value=link.bucket,
                reason="Azure may refuse the auto_export job until it has imported the container's content; the "
                "first `pulumi up` then fails, but only for that job",
                remedy="run `pulumi up` again after the portal shows, under Blob integration, that the import is "
                "complete",
            )


@rule("HPC-AML-021", Level.ERROR)
def roles_once(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """If several file systems are linked to the same storage account, only one may specify the service principal.

    Azure refuses to assign the same role on an account to a principal twice: the second request fails with
    `RoleAssignmentExists`, and so does `pulumi up`. Source: Azure RBAC documentation, "Troubleshoot Azure RBAC".
    """
    first: dict[str, str] = {}
    for path, lustre, link in _links(cluster):
        url = blob_url(link.bucket)
        if lustre.principal is None or url is None:
            continue
        name = str(path[1])
        other = first.setdefault(url.account, name)
        if other != name:
            yield Problem(
                path=(*path[:-1], "principal"),
                value=lustre.principal,
                reason=f"storage {other} already assigns this principal the roles on {url.account}, and Azure "
                "refuses duplicate assignments",
                remedy="assign both roles manually (see docs/azure.md), remove principal from both file systems, "
                "and add `silence: {HPC-AML-014: it has its roles}` to the description",
            )


def _links(cluster: AzureClusterSpec) -> Iterator[tuple[Path, Lustre, ContainerLink]]:
    for path, lustre in lustre_systems(cluster):
        if lustre.link is not None:
            yield (*path, "link"), lustre, lustre.link
