import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.ports import Group, SecretRef
from hpc_components.azure.tags import Tags

UNSET = "hpc/unset"
"""Content type that marks a secret as a placeholder until its real value is set. Azure Resource Manager can't create
an empty secret, so a placeholder is needed."""


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
    """Create the secret `what` (e.g. `munge`) of component `of`, with a placeholder as its value.

    A node sets the real value later, so that the value never appears in a plan or in the state. Pulumi never updates
    the secret, because an update would replace the real value with the placeholder. The secret is deleted with its
    vault, so that whoever destroys a cluster doesn't need permission to read or delete secrets.
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
