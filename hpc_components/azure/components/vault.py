import hashlib
import re
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.components.node_secret import make_node_secret
from hpc_components.azure.components.short_names import former_names
from hpc_components.azure.components.storage_account import MAX_ACCOUNT_NAME_LENGTH, RANDOM_CHARACTERS
from hpc_components.azure.network.endpoints import make_private_endpoint
from hpc_components.azure.ports import Group, Network, SecretRef
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

MAX_RETENTION_DAYS, MIN_RETENTION_DAYS = 90, 7
"""Maximum and minimum number of days for which a deleted vault can be restored. Source: Azure Key Vault
documentation, "Soft-delete overview"."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeVaultArgs:
    """Arguments of `NodeVault`."""

    group: Group
    """Resource group of the vault."""
    network: Network | None = None
    """Network in which to create a private endpoint for the vault, if the network has a DNS zone for `vault`."""
    tenant_id: Input[str]
    """Id of the subscription's tenant."""
    retain: bool = True
    """Whether to keep a deleted vault for 90 days and prevent purging. If false, a deleted vault is kept for 7 days
    and can be purged."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class NodeVault(Component[NodeVaultArgs]):
    """A Key Vault with role-based access only. It contains three secrets, whose values the nodes create at first
    boot.
    """

    munge: SecretRef
    """The munge key, which Slurm's daemons use to authenticate each other."""
    jwt: SecretRef
    """The key that signs Slurm's tokens."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share."""
    vault_id: Output[str]
    """Id of the vault."""
    vault_name: Output[str]
    """Name of the vault, which is also the value of the tag `hpc:vault`."""

    def _make(self, name: str, args: NodeVaultArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:NodeVault", name, {"retain": args.retain}, opts)
        child = pulumi.ResourceOptions(parent=self)
        vault = azure_native.keyvault.Vault(
            _stem(name),
            resource_group_name=args.group.name,
            location=args.group.location,
            properties=azure_native.keyvault.VaultPropertiesArgs(
                tenant_id=args.tenant_id,
                sku=azure_native.keyvault.SkuArgs(
                    family=azure_native.keyvault.SkuFamily.A, name=azure_native.keyvault.SkuName.STANDARD
                ),
                enable_rbac_authorization=True,
                # None instead of False: Azure refuses False, because purge protection can't be disabled
                enable_purge_protection=True if args.retain else None,
                soft_delete_retention_in_days=MAX_RETENTION_DAYS if args.retain else MIN_RETENTION_DAYS,
            ),
            tags=args.tags.for_resource(name),
            # Azure doesn't allow this retention period to be changed later
            opts=pulumi.ResourceOptions.merge(
                pulumi.ResourceOptions(parent=self, ignore_changes=["properties.softDeleteRetentionInDays"]),
                former_names(opts, _stem),
            ),
        )
        if args.network is not None:
            make_private_endpoint(
                name, "vault", target=vault.id, group=args.group, network=args.network, tags=args.tags, opts=child
            )
        self.munge, self.jwt, self.host_keys = (
            make_node_secret(
                name,
                what,
                vault=vault,
                vault_name=vault.name,
                group=args.group,
                tags=args.tags,
                opts=child,
            )
            for what in ("munge", "jwt", "ssh-host")
        )
        self.vault_id, self.vault_name = vault.id, vault.name
        self.register_outputs({"vaultId": self.vault_id, "vaultName": self.vault_name})


def _stem(name: str) -> str:
    """Return the prefix of a vault's name, e.g. `cfd-vault-1c09` for `cfd-vault`.

    Vault names have the same maximum length as storage account names, including Pulumi's random characters. The
    prefix's last four characters distinguish names that would otherwise be equal.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()[:4]
    plain = re.sub("-+", "-", name)[: MAX_ACCOUNT_NAME_LENGTH - RANDOM_CHARACTERS - len(digest) - 1]
    return f"{plain.rstrip('-')}-{digest}"
