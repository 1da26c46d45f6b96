from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import VaultUrl, vault_url, wrong_arm_id
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, password_secrets, value_rule

NEEDS = {
    "head_node": "Key Vault Secrets Officer on the secrets munge and jwt, Storage Blob Data Contributor on the "
    "container 'nodes', Storage Blob Data Reader on the container 'config', and a role that may change scale sets in "
    "the nodes' resource group",
    "login_nodes": "Key Vault Secrets User on the secret munge, Key Vault Secrets Officer on the secret ssh-host, "
    "and Storage Blob Data Reader on the container 'config'",
}
"""Maps each kind of node to the roles that an existing identity needs. The cluster grants no roles to existing
identities."""

NEEDS_WITH_PEOPLE = {"login_nodes": " and, to read the cluster's people, on the container 'nodes'"}
"""Continues `NEEDS` for a cluster with `people`."""


def _identities(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    return ((one.path, one.written) for one in cluster.node_identities())


def _password(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str, VaultUrl]]:
    for path, written in password_secrets(cluster):
        if secret := vault_url(written, "secrets"):
            yield path, str(secret), secret


@value_rule("HPC-IDN-001", Level.ERROR, _identities)
def identity_ids(_: AzureClusterSpec, path: Path, identity: str) -> Wrong | None:
    """An existing identity must be specified by the id of a user-assigned managed identity.

    Source: Azure documentation, "Manage user-assigned managed identities".
    """
    return wrong_arm_id(identity, "identity")


@value_rule("HPC-IDN-002", Level.WARNING, _identities)
def identity_roles(cluster: AzureClusterSpec, path: Path, identity: str) -> Wrong | None:
    """An existing identity for the head node or login nodes must have the roles that these nodes need.

    The cluster grants no roles to existing identities. If a role is missing, nodes terminate themselves at boot, or
    the head node can't launch machines. A queue's identity is for its jobs and needs no roles. Source: Azure RBAC
    documentation, "Azure built-in roles".
    """
    if path[0] not in NEEDS or wrong_arm_id(identity, "identity"):
        return None
    place = str(path[0])
    needs = NEEDS[place] + (NEEDS_WITH_PEOPLE.get(place, "") if cluster.people is not None else "")
    return (
        "the cluster grants no roles to an existing identity, and the nodes don't work without certain roles",
        f"remove identity, or grant the identity these roles after the first pulumi up: {needs}",
    )


@value_rule("HPC-IDN-003", Level.WARNING, _password)
def password_in_reach(_: AzureClusterSpec, path: Path, value: str, secret: VaultUrl) -> Wrong:
    """The head node must be allowed to read the password of an existing accounting database or directory.

    The cluster doesn't change anything in a vault that it didn't create. Source: Azure Key Vault documentation,
    "Provide access to Key Vault keys, certificates, and secrets with Azure role-based access control".
    """
    return (
        f"the cluster doesn't grant the head node access to secrets in your vault {secret.vault}",
        "after the first pulumi up, grant the role Key Vault Secrets User on the vault to the head node's "
        "identity: az role assignment create --role 'Key Vault Secrets User' --assignee <its principal> "
        "--scope <the vault>",
    )


@value_rule("HPC-IDN-004", Level.WARNING, _password)
def secret_version(_: AzureClusterSpec, path: Path, value: str, secret: VaultUrl) -> Wrong | None:
    """The secret with the password of a database or directory should be specified without a version.

    Otherwise, the head node never reads a new password. Source: Azure Key Vault documentation, "Azure Key Vault keys,
    secrets and certificates overview", object identifiers.
    """
    latest = f"use https://{secret.vault}.{secret.suffix}/secrets/{secret.name}"
    return (
        ("the URL includes a version, so the head node would never read a new password", latest)
        if secret.version
        else None
    )
