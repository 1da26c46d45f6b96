from pulumi import Output

from hpc_components.azure.catalog.blob_urls import blob_url
from hpc_components.azure.lustre.component import (
    LUSTRE_MOUNT_OPTIONS,
    LustreEncryption,
    LustreFilesystemArgs,
)
from hpc_components.azure.lustre.link import LustreLink
from hpc_components.azure.lustre.model import ContainerLink, Lustre
from hpc_components.azure.ports import Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.spec.addresses import head_address


def lustre_args(
    cluster: AzureClusterSpec, lustre: Lustre, network: Network, group: Group, tags: Tags
) -> LustreFilesystemArgs:
    assert lustre.size is not None, "a rule ensures that a new file system specifies a size"
    return LustreFilesystemArgs(
        mount=lustre.mount,
        capacity_tib=lustre.size.in_gib / 1024,
        throughput=lustre.throughput,
        zone=lustre.zone or cluster.zone,
        maintenance=lustre.maintenance,
        link=_link(lustre.link, lustre.principal, group) if lustre.link else None,
        root_squash=lustre.root_squash,
        # trust the head node, because its root user creates home directories and job directories
        trusted=() if lustre.root_squash == "none" else (str(head_address(cluster)),),
        encryption=_encryption(lustre),
        group=group,
        subnet_id=network.subnets["lustre"],
        retain=not cluster.throw_away,
        tags=tags,
    )


def _link(link: ContainerLink, principal: str | None, group: Group) -> LustreLink:
    url = blob_url(link.bucket)
    assert url is not None, "a rule ensures that a link's bucket is a container URL"
    home = link.resource_group or group.id
    return LustreLink(
        account_id=Output.concat(home, "/providers/Microsoft.Storage/storageAccounts/", url.account),
        bucket=link.bucket,
        log_bucket=link.log_bucket,
        auto_import=link.auto_import,
        auto_export=link.auto_export,
        principal_id=principal,
    )


def _encryption(lustre: Lustre) -> LustreEncryption | None:
    if lustre.encryption_key is None:
        return None
    vault, identity = lustre.encryption_vault, lustre.encryption_identity
    assert vault is not None, "a rule ensures that a key is specified with its vault"
    assert identity is not None, "a rule ensures that a key is specified with an identity that may use it"
    return LustreEncryption(key_url=lustre.encryption_key, vault_id=vault, identity_id=identity)


def existing_lustre(name: str, lustre: Lustre) -> FileSystemMount:
    assert lustre.existing is not None
    return FileSystemMount(
        name=name,
        type=lustre.type,
        mount=lustre.mount,
        server=lustre.existing.server,
        export=lustre.existing.mount_name,
        options=LUSTRE_MOUNT_OPTIONS,
    )
