"""Rules on keys of your own, which encrypt file systems and disks."""

from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import arm_id, vault_url, wrong_arm_id, wrong_vault_url
from hpc_components.azure.rules._disks import disks
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import Lustre
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

_PARTS = {
    "encryption_key": "https://<vault>.vault.azure.net/keys/<name>/<version>",
    "encryption_vault": "the vault's id, /subscriptions/...",
    "encryption_identity": "the id of an identity that may use the key, /subscriptions/...",
}


@rule("HPC-KEY-001", Level.ERROR)
def key_with_its_vault(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A key for Lustre is given with its vault, and with an identity that may use it.

    Source: Azure Managed Lustre documentation, "Use customer-managed encryption keys".
    """
    for path, lustre in lustre_systems(cluster):
        given = [field for field in _PARTS if getattr(lustre, field) is not None]
        for field in _PARTS if given else ():
            if field not in given:
                yield Problem(
                    path=(*path, given[0]),
                    reason=f"{given[0]} is there without {field}",
                    remedy=f"add {field}: {_PARTS[field]}; or remove {' and '.join(given)}",
                )


@rule("HPC-KEY-002", Level.ERROR)
def key_ids(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Keys, vaults and identities for encryption are named as Azure names them.

    Source: Azure Key Vault documentation, "Azure Key Vault keys, secrets and certificates overview", object
    identifiers; Azure REST API reference, Aml Filesystems.
    """
    for path, lustre in lustre_systems(cluster):
        wrong = {
            "encryption_key": lustre.encryption_key and wrong_vault_url(lustre.encryption_key, "keys"),
            "encryption_vault": lustre.encryption_vault and wrong_arm_id(lustre.encryption_vault, "key_vault"),
            "encryption_identity": lustre.encryption_identity
            and wrong_arm_id(lustre.encryption_identity, "identity"),
        }
        for field, found in wrong.items():
            if found:
                yield Problem(path=(*path, field), value=getattr(lustre, field), reason=found[0], remedy=found[1])
    for use in disks(cluster):
        given = use.disk.encryption_set
        if given is not None and (found := wrong_arm_id(given, "disk_encryption_set")):
            yield Problem(path=(*use.path, "encryption_set"), value=given, reason=found[0], remedy=found[1])


@rule("HPC-KEY-003", Level.ERROR)
def key_of_its_vault(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A key is in the vault that is named beside it.

    Source: Azure REST API reference, Aml Filesystems - Create Or Update, keyEncryptionKey.
    """
    for path, lustre in lustre_systems(cluster):
        key, vault = _key_and_vault(lustre)
        if key and vault and key.lower() != vault.lower():
            yield Problem(
                path=(*path, "encryption_vault"),
                value=lustre.encryption_vault,
                reason=f"the key is in {key}, and encryption_vault is {vault}",
                remedy=f"write the id of {key}: az keyvault show --name {key} --query id",
            )


@rule("HPC-KEY-004", Level.WARNING)
def key_version(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A key for Lustre is named with its version.

    Whether Azure takes it without is not known. Source: Azure REST API reference, Aml Filesystems, examples.
    """
    for path, lustre in lustre_systems(cluster):
        key = vault_url(lustre.encryption_key, "keys") if lustre.encryption_key else None
        if key and key.version is None:
            yield Problem(
                path=(*path, "encryption_key"),
                value=lustre.encryption_key,
                reason="it names no version of the key",
                remedy=f"write what this shows: az keyvault key show --vault-name {key.vault} --name {key.name}"
                " --query key.kid",
            )


@rule("HPC-KEY-005", Level.INFO)
def key_out_of_sight(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A key for Lustre is RSA with 2048 bits, in a vault of the region and subscription, with purge protection.

    Azure makes the file system for some minutes before it says what is missing. Source: Azure Managed Lustre
    documentation, "Use customer-managed encryption keys".
    """
    for path, lustre in lustre_systems(cluster):
        key, _ = _key_and_vault(lustre)
        if key:
            yield Problem(
                path=(*path, "encryption_key"),
                value=lustre.encryption_key,
                reason="it can't be seen from here whether the key is RSA with 2048 bits, and its vault in"
                f" {cluster.region} with purge protection",
                remedy=f"compare with: az keyvault show --name {key}",
            )


@rule("HPC-KEY-006", Level.ERROR)
def one_key_for_a_group(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A disk encryption set is in the subscription of the machines that use it.

    Source: Azure documentation, "Server-side encryption of Azure managed disks", restrictions of customer-managed
    keys.
    """
    group = arm_id(cluster.resource_group, "resource_group") if cluster.resource_group else None
    for use in disks(cluster) if group else ():
        found = arm_id(use.disk.encryption_set, "disk_encryption_set") if use.disk.encryption_set else None
        if found and group and found.subscription.lower() != group.subscription.lower():
            yield Problem(
                path=(*use.path, "encryption_set"),
                value=use.disk.encryption_set,
                reason=f"it is in subscription {found.subscription}, the cluster in {group.subscription}",
                remedy=f"name a disk encryption set of {group.subscription}",
            )


def _key_and_vault(lustre: Lustre) -> tuple[str | None, str | None]:
    """The names of the vault that has the key, and of the one that is named beside it, where they can be read."""
    key = vault_url(lustre.encryption_key, "keys") if lustre.encryption_key else None
    vault = arm_id(lustre.encryption_vault, "key_vault") if lustre.encryption_vault else None
    return (key.vault if key else None, vault.name if vault else None)
