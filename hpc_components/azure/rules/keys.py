"""Rules for customer-managed keys, which encrypt file systems and disks."""

from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import VaultUrl, arm_id, vault_url, wrong_arm_id, wrong_vault_url
from hpc_components.azure.disks.model import disks
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import Lustre
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import Wrong, value_rule

_PARTS = {
    "encryption_key": "https://<vault>.vault.azure.net/keys/<name>/<version>",
    "encryption_vault": "the vault's id, /subscriptions/...",
    "encryption_identity": "the id of an identity that may use the key, /subscriptions/...",
}


def _lustre_parts(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    for path, lustre in lustre_systems(cluster):
        yield from (((*path, field), getattr(lustre, field)) for field in _PARTS if getattr(lustre, field))


def _encryption_sets(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    for use in disks(cluster):
        if use.disk.encryption_set is not None:
            yield (*use.path, "encryption_set"), use.disk.encryption_set


def _ids(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    yield from _lustre_parts(cluster)
    yield from _encryption_sets(cluster)


def _lustre_keys(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str, VaultUrl, Lustre]]:
    for path, lustre in lustre_systems(cluster):
        if lustre.encryption_key and (key := vault_url(lustre.encryption_key, "keys")):
            yield (*path, "encryption_key"), lustre.encryption_key, key, lustre


@rule("HPC-KEY-001", Level.ERROR)
def key_with_its_vault(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An encryption key for Lustre must be specified together with its vault and an identity that may use the key.

    Source: Azure Managed Lustre documentation, "Use customer-managed encryption keys".
    """
    for path, lustre in lustre_systems(cluster):
        given = [field for field in _PARTS if getattr(lustre, field) is not None]
        for field in _PARTS if given else ():
            if field not in given:
                yield Problem(
                    path=(*path, given[0]),
                    reason=f"{given[0]} also requires {field}",
                    remedy=f"remove {' and '.join(given)}, or add {field}: {_PARTS[field]}",
                )


@value_rule("HPC-KEY-002", Level.ERROR, _ids)
def key_ids(_: AzureClusterSpec, path: Path, id: str) -> Wrong | None:
    """Keys, vaults and identities for encryption must be specified by their ids.

    Source: Azure Key Vault documentation, "Azure Key Vault keys, secrets and certificates overview", object
    identifiers; Azure REST API reference, Aml Filesystems.
    """
    match path[-1]:
        case "encryption_key":
            return wrong_vault_url(id, "keys")
        case "encryption_vault":
            return wrong_arm_id(id, "key_vault")
        case "encryption_identity":
            return wrong_arm_id(id, "identity")
    return wrong_arm_id(id, "disk_encryption_set")


def _vaults_of_keys(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str | None, str, str]]:
    for path, _, key, lustre in _lustre_keys(cluster):
        if vault := arm_id(lustre.encryption_vault or "", "key_vault"):
            yield (*path[:-1], "encryption_vault"), lustre.encryption_vault, vault.name, key.vault


@value_rule("HPC-KEY-003", Level.ERROR, _vaults_of_keys)
def key_of_its_vault(_: AzureClusterSpec, path: Path, id: str, vault: str, of_key: str) -> Wrong | None:
    """An encryption key must be in the vault that `encryption_vault` specifies.

    Source: Azure REST API reference, Aml Filesystems - Create Or Update, keyEncryptionKey.
    """
    if of_key.lower() == vault.lower():
        return None
    return (
        f"the key is in vault {of_key}, but encryption_vault is the id of {vault}",
        f"use the id of vault {of_key}, as shown by: az keyvault show --name {of_key} --query id",
    )


@value_rule("HPC-KEY-004", Level.WARNING, _lustre_keys)
def key_version(_: AzureClusterSpec, path: Path, written: str, key: VaultUrl, lustre: Lustre) -> Wrong | None:
    """The URL of an encryption key for Lustre should include the key's version.

    We don't know whether Azure accepts a key without a version. Source: Azure REST API reference, Aml Filesystems,
    examples.
    """
    show = f"az keyvault key show --vault-name {key.vault} --name {key.name} --query key.kid"
    return (
        None
        if key.version
        else ("the URL doesn't include the key's version", f"use the URL that this command shows: {show}")
    )


@value_rule("HPC-KEY-005", Level.INFO, _lustre_keys)
def key_out_of_sight(cluster: AzureClusterSpec, path: Path, written: str, key: VaultUrl, lustre: Lustre) -> Wrong:
    """A key for Lustre must be 2048-bit RSA, in a purge-protected vault in the same region and subscription.

    Azure reports a violation only after several minutes of work on the file system. Source: Azure Managed Lustre
    documentation, "Use customer-managed encryption keys".
    """
    return (
        f"this check can't see whether the key is 2048-bit RSA, or whether its vault is in {cluster.region} "
        "and has purge protection",
        f"check the output of: az keyvault show --name {key.vault}",
    )


@value_rule("HPC-KEY-006", Level.ERROR, _encryption_sets)
def one_key_for_a_group(cluster: AzureClusterSpec, path: Path, id: str) -> Wrong | None:
    """A disk encryption set must be in the same subscription as the machines that use it.

    Source: Azure documentation, "Server-side encryption of Azure managed disks", restrictions of customer-managed
    keys.
    """
    group, found = arm_id(cluster.resource_group or "", "resource_group"), arm_id(id, "disk_encryption_set")
    if found is None or group is None or found.subscription.lower() == group.subscription.lower():
        return None
    return (
        f"the disk encryption set is in subscription {found.subscription}, but the cluster is in "
        f"{group.subscription}",
        f"use a disk encryption set in subscription {group.subscription}",
    )
