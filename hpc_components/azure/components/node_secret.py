"""A secret that the nodes of a cluster share."""

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.ports import Group, SecretRef
from hpc_components.azure.tags import Tags

UNSET = "hpc/unset"
"""Content type of a secret that has no value yet: Azure Resource Manager can't create an empty one."""


def make_node_secret(
    of: str,
    what: str,
    *,
    vault: "azure_native.keyvault.Vault",
    vault_name: Input[str],
    group: Group,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> SecretRef:
    """Create the secret `what` (`munge`) of component `of`, without its value.

    A node sets the value, so that it appears in no plan or state. An update would overwrite it with the initial
    value, so Pulumi never updates the secret. It is deleted with its vault, because the person who destroys a cluster
    should not need the right to read or delete secrets.
    """
    name = f"{of}-{what}"
    secret = azure_native.keyvault.Secret(
        name,
        resource_group_name=group.name,
        vault_name=vault_name,
        secret_name=what,
        properties=azure_native.keyvault.SecretPropertiesArgs(value="unset", content_type=UNSET),
        tags=tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(ignore_changes=["properties", "tags"], deleted_with=vault)
        ),
    )
    return SecretRef(vault=vault_name, name=what, id=secret.id)
