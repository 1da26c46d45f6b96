"""The Key Vault of a cluster, with the secrets that its nodes share."""

import hashlib
import re
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.components.endpoints import make_private_endpoint
from hpc_components.azure.components.node_secret import make_node_secret
from hpc_components.azure.components.short_names import former_names
from hpc_components.azure.components.storage_account import LONGEST_NAME, RANDOM_CHARACTERS
from hpc_components.azure.ports import Group, Network, SecretRef
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

KEPT_DAYS, LEAST_KEPT_DAYS = 90, 7
"""How long a deleted vault can be had back: the most and the least that there is. Source: Azure Key Vault
documentation, "Soft-delete overview"."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeVaultArgs:
    """Arguments of `NodeVault`."""

    group: Group
    """Resource group for it."""
    network: Network | None = None
    """A network in which it gets a private endpoint, if there is a DNS zone for `vault`."""
    tenant_id: Input[str]
    """The tenant of the subscription."""
    retain: bool = True
    """Nobody can delete the vault for good before 90 days are over; else 7 days."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class NodeVault(Component[NodeVaultArgs]):
    """A Key Vault that only roles open, and three empty secrets: nodes make their values at first boot."""

    munge: SecretRef
    """The key by which Slurm's daemons know one another."""
    jwt: SecretRef
    """The key that signs Slurm's tokens."""
    host_keys: SecretRef
    """The SSH host keys that all login nodes share."""
    vault_id: Output[str]
    """Id of the vault."""
    vault_name: Output[str]
    """Its name: the value of the tag `hpc:vault`."""

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
                # Azure takes no False here: what is protected once stays protected
                enable_purge_protection=True if args.retain else None,
                soft_delete_retention_in_days=KEPT_DAYS if args.retain else LEAST_KEPT_DAYS,
            ),
            tags=args.tags.for_resource(name),
            # Azure takes these days when it makes a vault, and refuses others later
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
    """`cfd-vault` as the beginning of a vault's name, `cfd-vault-1c09`.

    That is as short as a storage account's, and Pulumi adds its random characters; the last four of the beginning
    tell names apart that would be one without them.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()[:4]
    plain = re.sub("-+", "-", name)[: LONGEST_NAME - RANDOM_CHARACTERS - len(digest) - 1]
    return f"{plain.rstrip('-')}-{digest}"
