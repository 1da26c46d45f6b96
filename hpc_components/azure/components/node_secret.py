"""A secret that a cluster's nodes share."""

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.ports import Group, SecretRef
from hpc_components.azure.tags import Tags

UNSET = "hpc/unset"
"""Content type of a secret without a value: Resource Manager can't make an empty one."""


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
    """The secret `what` (`munge`) of component `of`.

    A container only: a node makes the value, so that neither plan nor state ever holds it. An update would put the
    first version's value in place of that, so nothing of a secret is ever updated. It goes with its vault, because
    whoever destroys a cluster must not be allowed to read or delete secrets.
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
