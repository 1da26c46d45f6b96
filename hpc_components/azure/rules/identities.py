"""Rules on managed identities of your own, and on secrets that nodes read."""

from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import vault_url, wrong_arm_id
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

NEEDS = {
    "head_node": "Key Vault Secrets Officer on the secrets munge and jwt, Storage Blob Data Contributor on the"
    " container nodes and Reader on config, and a role that changes scale sets in the nodes' resource group",
    "login_nodes": "Key Vault Secrets User on the secret munge and Officer on ssh-host, Storage Blob Data Reader on"
    " the container config",
}
"""What an identity that gets no roles from the cluster must have, by who uses it."""


@rule("HPC-IDN-001", Level.ERROR)
def identity_ids(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An identity of your own is named by the id of a user-assigned one.

    Source: Azure documentation, "Manage user-assigned managed identities".
    """
    for path, identity in ((one.path, one.written) for one in cluster.node_identities()):
        if wrong := wrong_arm_id(identity, "identity"):
            yield Problem(path=path, value=identity, reason=wrong[0], remedy=wrong[1])


@rule("HPC-IDN-002", Level.WARNING)
def identity_roles(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An identity of your own has the roles that its nodes need.

    The cluster gives it none. Without them nodes end themselves at boot, or the head node launches none. That of a
    queue is for its jobs, and needs none. Source: Azure RBAC documentation, "Azure built-in roles".
    """
    for path, identity in ((one.path, one.written) for one in cluster.node_identities()):
        if path[0] in NEEDS and not wrong_arm_id(identity, "identity"):
            yield Problem(
                path=path,
                value=identity,
                reason="it gets no roles from the cluster, and nodes do nothing without",
                remedy=f"after the first pulumi up give it {NEEDS[str(path[0])]}; or remove identity",
            )


@rule("HPC-IDN-003", Level.WARNING)
def password_in_reach(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The head node may read the password of an existing accounting database.

    The secret's vault is yours, and nothing there is changed. Source: Azure Key Vault documentation, "Provide access
    to Key Vault keys, certificates, and secrets with Azure role-based access control".
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    secret = vault_url(database.password_secret, "secrets") if database and database.password_secret else None
    if secret is not None:
        yield Problem(
            path=("slurm", "accounting", "database", "password_secret"),
            value=str(secret),
            reason=f"nothing here lets the head node read it from {secret.vault}",
            remedy="after the first pulumi up give the head node's identity the role Key Vault Secrets User there: az"
            " role assignment create --role 'Key Vault Secrets User' --assignee <its principal> --scope <the vault>",
        )


@rule("HPC-IDN-004", Level.WARNING)
def secret_version(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The password of a database is a secret without version, so that a new password is found.

    Source: Azure Key Vault documentation, "Azure Key Vault keys, secrets and certificates overview", object
    identifiers.
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    secret = vault_url(database.password_secret, "secrets") if database and database.password_secret else None
    if secret is not None and secret.version is not None:
        yield Problem(
            path=("slurm", "accounting", "database", "password_secret"),
            value=str(secret),
            reason="with its version, the head node never sees a new password",
            remedy=f"use https://{secret.vault}.{secret.suffix}/secrets/{secret.name}",
        )
