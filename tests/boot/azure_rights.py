"""What the roles of an Azure cluster's nodes allow: the one table by which the emulators let calls through.

The components make these assignments (`hpc_components/azure/components/`). Names of roles and their data actions are
Azure's. Source: Azure RBAC, "Azure built-in roles": Storage, Security, Monitor.
"""

from collections.abc import Collection, Mapping

__all__ = [
    "ARM_ACTIONS",
    "BLOB_READ",
    "BLOB_WRITE",
    "GRANTS",
    "LOG_WRITE",
    "SECRET_GET",
    "SECRET_LIST",
    "SECRET_SET",
    "allows",
]

BLOB_READ = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"
BLOB_WRITE = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write"
SECRET_GET = "Microsoft.KeyVault/vaults/secrets/getSecret/action"
SECRET_LIST = "Microsoft.KeyVault/vaults/secrets/readMetadata/action"
SECRET_SET = "Microsoft.KeyVault/vaults/secrets/setSecret/action"
LOG_WRITE = "Microsoft.Insights/Telemetry/Write"

ARM_ACTIONS: Mapping[str, str] = {
    "list sets": "Microsoft.Compute/virtualMachineScaleSets/read",
    "show set": "Microsoft.Compute/virtualMachineScaleSets/read",
    "scale": "Microsoft.Compute/virtualMachineScaleSets/write",
    "delete": "Microsoft.Compute/virtualMachineScaleSets/delete/action",
    "list machines": "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
    "show machine": "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
    "show operation": "Microsoft.Compute/locations/operations/read",
}
"""What a call of Azure Resource Manager takes, by the emulator's word for it (`elastic.drivers.fake_arm`)."""

ROLES: Mapping[str, frozenset[str]] = {
    "Storage Blob Data Reader": frozenset({BLOB_READ}),
    "Storage Blob Data Contributor": frozenset({BLOB_READ, BLOB_WRITE}),
    "Key Vault Secrets User": frozenset({SECRET_GET, SECRET_LIST}),
    "Key Vault Secrets Officer": frozenset({SECRET_GET, SECRET_LIST, SECRET_SET}),
    "Monitoring Metrics Publisher": frozenset({LOG_WRITE}),
    "nodes": frozenset(ARM_ACTIONS.values()),
}
"""As far as nodes call services. `nodes` is the cluster's own role at the nodes' resource group."""

GRANTS: Mapping[str, frozenset[tuple[str, str]]] = {
    "head": frozenset(
        {
            ("Storage Blob Data Reader", "container/config"),
            ("Storage Blob Data Contributor", "container/nodes"),
            ("Key Vault Secrets Officer", "secret/munge"),
            ("Key Vault Secrets Officer", "secret/jwt"),
            ("Monitoring Metrics Publisher", "logs"),
            ("nodes", "group"),
        }
    ),
    "login": frozenset(
        {
            ("Storage Blob Data Reader", "container/config"),
            ("Key Vault Secrets User", "secret/munge"),
            ("Key Vault Secrets Officer", "secret/ssh-host"),
            ("Monitoring Metrics Publisher", "logs"),
        }
    ),
    "compute": frozenset(
        {
            ("Storage Blob Data Reader", "container/config"),
            ("Storage Blob Data Reader", "container/nodes"),
            ("Key Vault Secrets User", "secret/munge"),
            ("Monitoring Metrics Publisher", "logs"),
        }
    ),
    "data": frozenset({("Storage Blob Data Contributor", "container/data")}),
}
"""Role and scope of each assignment, by whose identity it is for; `data` is lent to people and jobs."""


def allows(grants: Collection[tuple[str, str]], action: str, scope: str) -> bool:
    """Whether these assignments allow a data action on this container, secret or rule."""
    return any(at == scope and action in ROLES[role] for role, at in grants)
