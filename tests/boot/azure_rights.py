"""What the roles of an Azure cluster's nodes allow: the one table by which the emulators let calls through.

The components make these assignments; `test_azure_rights.py` compares them with the plan's. Names of roles and their
data actions are Azure's. Source: Azure RBAC, "Azure built-in roles": Storage, Security, Monitor.
"""

from collections.abc import Collection, Mapping

BLOB_READ = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"
BLOB_WRITE = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write"
BLOB_DELETE = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/delete"
SECRET_GET = "Microsoft.KeyVault/vaults/secrets/getSecret/action"
SECRET_LIST = "Microsoft.KeyVault/vaults/secrets/readMetadata/action"
SECRET_SET = "Microsoft.KeyVault/vaults/secrets/setSecret/action"
LOG_WRITE = "Microsoft.Insights/Telemetry/Write"

ROLES: Mapping[str, Collection[str]] = {
    "Storage Blob Data Reader": {BLOB_READ},
    "Storage Blob Data Contributor": {BLOB_READ, BLOB_WRITE, BLOB_DELETE},
    "Key Vault Secrets User": {SECRET_GET, SECRET_LIST},
    "Key Vault Secrets Officer": {SECRET_GET, SECRET_LIST, SECRET_SET},
    "Monitoring Metrics Publisher": {LOG_WRITE},
}
"""What they allow, as far as nodes call services. The cluster's own roles are in its plan."""

GRANTS: Mapping[str, frozenset[tuple[str, str]]] = {
    "head": frozenset(
        {
            ("Storage Blob Data Reader", "container/config"),
            ("Storage Blob Data Contributor", "container/nodes"),
            ("Key Vault Secrets Officer", "secret/munge"),
            ("Key Vault Secrets Officer", "secret/jwt"),
            ("Monitoring Metrics Publisher", "logs"),
            ("launch", "group/lab-reaper"),
            ("use", "group/lab"),
            ("use", "group/lab-reaper"),
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

PEOPLE_GRANTS: Mapping[str, frozenset[tuple[str, str]]] = {
    place: grants | ({("Storage Blob Data Reader", "container/nodes")} if place == "login" else frozenset())
    for place, grants in GRANTS.items()
}
"""The same in a cluster with people, which login nodes read in the container where the head node publishes them."""
