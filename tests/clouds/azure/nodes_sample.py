"""Arguments of node components, written by hand with plain ids of existing resources."""

from clouds.azure.sample import GROUP, SUBSCRIPTION
from hpc_components.azure.ports import ConfigStore, Group, Identities, Identity, LogStore, SecretRef, Services

NODES_GROUP = Group(name="cfd-nodes", id=f"{SUBSCRIPTION}/resourceGroups/cfd-nodes", location="eastus")
CONTAINERS = f"{GROUP.id}/providers/Microsoft.Storage/storageAccounts/cfdconfig/blobServices/default/containers"
VAULT = f"{GROUP.id}/providers/Microsoft.KeyVault/vaults/cfd-vault"
RULE = f"{GROUP.id}/providers/Microsoft.Insights/dataCollectionRules/cfd-logs"
LOGS = "https://cfd-logs.eastus-1.ingest.monitor.azure.com/dataCollectionRules/dcr-1/streams/Custom-HpcBoot_CL"
IDENTITIES = f"{GROUP.id}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"


def secret(name: str) -> SecretRef:
    return SecretRef(vault="cfd-vault", name=name, id=f"{VAULT}/secrets/{name}")


SERVICES = Services(
    config=ConfigStore(
        address="cfdconfig/config", container_id=f"{CONTAINERS}/config", nodes_container_id=f"{CONTAINERS}/nodes"
    ),
    munge=secret("munge"),
    jwt=secret("jwt"),
    host_keys=secret("ssh-host"),
    logs=LogStore(address=LOGS, rule_id=RULE),
)
OWN = Identity(
    id=f"{IDENTITIES}/own",
    client_id="11111111-0000-0000-0000-000000000000",
    principal_id="44444444-0000-0000-0000-000000000000",
)
LENT = Identity(
    id=f"{IDENTITIES}/lent",
    client_id="22222222-0000-0000-0000-000000000000",
    principal_id="55555555-0000-0000-0000-000000000000",
)
WHO = Identities(own=OWN)
WHO_LENDS = Identities(own=OWN, lent=LENT)
THEIRS = Identities(own=Identity(id=f"{IDENTITIES}/theirs", client_id="33333333-0000-0000-0000-000000000000"))
"""An existing identity that already has its roles."""

SERVICE_TAGS = {
    "ClusterName": "cfd",
    "Project": "wing",
    "hpc:config": "cfdconfig/config",
    "hpc:identity": "11111111-0000-0000-0000-000000000000",
    "hpc:logs": LOGS,
    "hpc:vault": "cfd-vault",
}
"""Return the tags of every machine."""
