"""Rules on managed identities of your own, and on secrets that nodes read."""

from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import VaultUrl, vault_url, wrong_arm_id
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, password_secret, value_rule

NEEDS = {
    "head_node": "Key Vault Secrets Officer on the secrets munge and jwt, Storage Blob Data Contributor on the"
    " container nodes and Reader on config, and a role that changes scale sets in the nodes' resource group",
    "login_nodes": "Key Vault Secrets User on the secret munge and Officer on ssh-host, Storage Blob Data Reader on"
    " the container config",
}
"""Maps the kind of node to the roles that its existing identity needs, because the cluster grants it none."""


def _identities(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    return ((one.path, one.written) for one in cluster.node_identities())


def _password(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str, VaultUrl]]:
    for path, written in password_secret(cluster):
        if secret := vault_url(written, "secrets"):
            yield path, str(secret), secret


@value_rule("HPC-IDN-001", Level.ERROR, _identities)
def identity_ids(_: AzureClusterSpec, path: Path, identity: str) -> Wrong | None:
    """Specify your own identity by the id of a user-assigned managed identity.

    Source: Azure documentation, "Manage user-assigned managed identities".
    """
    return wrong_arm_id(identity, "identity")


@value_rule("HPC-IDN-002", Level.WARNING, _identities)
def identity_roles(_: AzureClusterSpec, path: Path, identity: str) -> Wrong | None:
    """An identity of your own must have the roles that its nodes need.

    The cluster grants it no roles. Without them, nodes terminate themselves at boot, or the head node can't launch
    any. A queue's identity is for its jobs and needs no roles. Source: Azure RBAC documentation, "Azure built-in
    roles".
    """
    if path[0] not in NEEDS or wrong_arm_id(identity, "identity"):
        return None
    return (
        "the cluster grants it no roles, and nodes can do nothing without them",
        f"after the first pulumi up give it {NEEDS[str(path[0])]}; or remove identity",
    )


@value_rule("HPC-IDN-003", Level.WARNING, _password)
def password_in_reach(_: AzureClusterSpec, path: Path, value: str, secret: VaultUrl) -> Wrong:
    """The head node must be allowed to read the password of an existing accounting database.

    The secret's vault is yours, and the cluster changes nothing in it. Source: Azure Key Vault documentation,
    "Provide access to Key Vault keys, certificates, and secrets with Azure role-based access control".
    """
    return (
        f"the cluster does not grant the head node access to it in {secret.vault}",
        "after the first pulumi up give the head node's identity the role Key Vault Secrets User there: az role"
        " assignment create --role 'Key Vault Secrets User' --assignee <its principal> --scope <the vault>",
    )


@value_rule("HPC-IDN-004", Level.WARNING, _password)
def secret_version(_: AzureClusterSpec, path: Path, value: str, secret: VaultUrl) -> Wrong | None:
    """A database password's secret should be specified without a version, so that a new password is found.

    Source: Azure Key Vault documentation, "Azure Key Vault keys, secrets and certificates overview", object
    identifiers.
    """
    latest = f"use https://{secret.vault}.{secret.suffix}/secrets/{secret.name}"
    return ("with its version, the head node never sees a new password", latest) if secret.version else None
