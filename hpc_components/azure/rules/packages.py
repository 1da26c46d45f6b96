from collections.abc import Iterator

from hpc_components.azure.catalog.blob_urls import BLOB_SUFFIXES, blob_url, wrong_blob_url
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-PKG-001", Level.ERROR)
def package_container(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Specify packages in Blob storage by container URL, without a SAS token.

    Nodes authenticate with their own identities; a token in the description would be visible to anyone who can read
    it. Source: Azure Storage documentation, "Grant limited access to Azure Storage resources using shared access
    signatures".
    """
    source = cluster.slurm.package_source
    if source is not None and _is_blob(source) and (wrong := wrong_blob_url(source)):
        yield Problem(
            path=("slurm", "package_source"),
            value=None if "?" in source else source,
            reason=wrong[0],
            remedy=wrong[1],
        )


@rule("HPC-PKG-002", Level.WARNING)
def package_readers(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The identities of all nodes must be allowed to read the container with Slurm packages.

    The container is in an existing storage account, and the stack assigns no roles there. Source: Azure RBAC
    documentation, "Azure built-in roles", Storage.
    """
    source = cluster.slurm.package_source
    url = blob_url(source) if source is not None else None
    if url is not None:
        yield Problem(
            path=("slurm", "package_source"),
            value=source,
            reason=f"the stack doesn't grant nodes a role on storage account {url.account}",
            remedy="after the first pulumi up, grant the role Storage Blob Data Reader on the container "
            f"{url.container} to the identities of the head node, login nodes, queues and, with recipes of images, "
            "the image builder",
        )


@rule("HPC-PKG-005", Level.WARNING)
def script_readers(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Nodes, and machines that make images, must be allowed to read the containers with their scripts.

    The containers are in existing storage accounts, and the stack assigns no roles there. Source: Azure RBAC
    documentation, "Azure built-in roles", Storage.
    """
    for name, script in cluster.scripts.items():
        url = blob_url(script.address) if script.address is not None else None
        if url is not None:
            who = "the identity of the image builder" if script.at == "image" else "the identities of these nodes"
            yield Problem(
                path=("scripts", name, "address"),
                value=script.address,
                reason=f"the stack doesn't grant a role on storage account {url.account}",
                remedy="after the first pulumi up, grant the role Storage Blob Data Reader on the container "
                f"{url.container} to {who}",
            )


def _is_blob(source: str) -> bool:
    return source.partition("://")[2].partition("/")[0].endswith(BLOB_SUFFIXES)
