"""The nodes' permissions: built-in roles on individual containers and secrets, and custom roles for the head node.

No action contains a wildcard, and no role's scope is wider than a resource group.
"""

import hashlib
from collections.abc import Iterable

from pulumi import Input

from hpc_components.azure.identity.roles import Grant, built_in_role
from hpc_components.azure.ports import ConfigStore, LogStore, SecretRef, Services

LAUNCH_ACTIONS = (
    "Microsoft.Compute/virtualMachineScaleSets/read",
    "Microsoft.Compute/virtualMachineScaleSets/write",  # to change the capacity; Azure has no narrower action
    "Microsoft.Compute/virtualMachineScaleSets/delete/action",  # deletes instances, not the scale set
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/instanceView/read",
    # The instances of a Flexible scale set are ordinary virtual machines. Deleting a machine also deletes its disk
    # and interface. The role keeps these actions even after the last queue of this kind is removed, because the
    # queue's machines must still be deleted.
    "Microsoft.Compute/virtualMachines/read",
    "Microsoft.Compute/virtualMachines/instanceView/read",
    "Microsoft.Compute/virtualMachines/delete",
    "Microsoft.Compute/disks/delete",
    "Microsoft.Network/networkInterfaces/delete",
    "Microsoft.Compute/availabilitySets/read",  # to check whether a set exists
)
"""Actions for launching and deleting scale set machines in a resource group. Deleting a whole scale set is not
allowed."""

MACHINE_ACTIONS = (
    "Microsoft.Compute/virtualMachines/write",
    "Microsoft.Compute/disks/read",
    "Microsoft.Compute/disks/write",
    "Microsoft.Network/networkInterfaces/read",
    "Microsoft.Network/networkInterfaces/write",
    "Microsoft.Network/networkInterfaces/join/action",
)
"""Actions for creating ordinary virtual machines with their disks and interfaces. Deploying machines into an
availability set requires these actions. Raising the capacity of a Flexible scale set also requires them, in addition
to the permission to change the set, but a Uniform scale set doesn't. Source: Azure documentation, "Orchestration
modes for Virtual Machine Scale Sets", "RBAC Permissions Required", read 2026-11-24; "Virtual Machine Contributor" in
"Azure built-in roles for Compute" has the same actions."""

DEPLOY_ACTIONS = (
    # A deployment runs with the caller's permissions, so `MACHINE_ACTIONS` also covers the machines, disks and
    # interfaces that it creates.
    "Microsoft.Resources/deployments/read",
    "Microsoft.Resources/deployments/write",
    "Microsoft.Resources/templateSpecs/read",
    "Microsoft.Resources/templateSpecs/versions/read",
)
"""Actions for launching machines into availability sets from a template, in addition to `MACHINE_ACTIONS`."""

USE_ACTIONS = (
    # Changing a scale set requires permission to use every resource that its machines refer to. Source: Azure
    # documentation, "Virtual Machine Scale Sets: networking" and "Managed identities: assign".
    "Microsoft.Network/virtualNetworks/subnets/join/action",
    "Microsoft.Network/networkSecurityGroups/join/action",
    "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
    # Source: AKS documentation, "Access and identity options", "AKS cluster identity permissions", read 2026-11-24.
    "Microsoft.Compute/proximityPlacementGroups/read",
    "Microsoft.Compute/proximityPlacementGroups/write",
    # Source: Azure documentation, "Share a Capacity Reservation Group", read 2026-11-24.
    "Microsoft.Compute/capacityReservationGroups/read",
    "Microsoft.Compute/capacityReservationGroups/deploy/action",
    "Microsoft.Compute/capacityReservationGroups/capacityReservations/read",
    "Microsoft.Compute/capacityReservationGroups/capacityReservations/deploy/action",
    "Microsoft.Compute/diskEncryptionSets/read",
    "Microsoft.Compute/images/read",
    "Microsoft.Compute/galleries/images/read",
    "Microsoft.Compute/galleries/images/versions/read",
)


SEE_LOGIN_NODES_ACTIONS = (
    # Source: Azure documentation, "Azure permissions for Compute" (MicrosoftDocs/azure-docs, resource provider
    # operations), read 2026-11-29.
    "Microsoft.Compute/virtualMachineScaleSets/read",
    "Microsoft.Compute/virtualMachineScaleSets/networkInterfaces/read",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/instanceView/read",
)
"""Actions for listing the login nodes in the head node's resource group, so that Prometheus can scrape them."""


def compute_grants(services: Services) -> list[Grant]:
    return [
        _reads_config(services.config),
        _reads_names(services.config),
        _reads_secret(services.munge),
        *_writes_logs(services.logs),
    ]


def login_grants(services: Services) -> list[Grant]:
    return [
        _reads_config(services.config),
        _reads_secret(services.munge),
        _sets_secret(services.host_keys),
        *_reads_published(services.config),
        *_writes_logs(services.logs),
    ]


def head_grants(services: Services) -> list[Grant]:
    """Return the head node's permissions, except those for launching nodes."""
    return [
        _reads_config(services.config),
        _writes_names(services.config),
        _sets_secret(services.munge),
        _sets_secret(services.jwt),
        *_writes_logs(services.logs),
    ]


def use_grants(role: Input[str], ids: Iterable[str]) -> list[Grant]:
    """Return a grant of `role` for each resource that launches use but that is in another resource group."""
    return [
        Grant(
            name=f"uses-{id.rpartition('/')[2]}-{hashlib.sha256(id.encode()).hexdigest()[:6]}",
            role=role,
            scope=id,
            why="The head node launches compute nodes with it",
        )
        for id in ids
    ]


def _reads_config(config: ConfigStore) -> Grant:
    return Grant(
        name="reads-config",
        role=built_in_role("Storage Blob Data Reader"),
        scope=config.container_id,
        why="Nodes fetch the cluster's configuration",
    )


def _reads_names(config: ConfigStore) -> Grant:
    return Grant(
        name="reads-names",
        role=built_in_role("Storage Blob Data Reader"),
        scope=config.nodes_container_id,
        why="Compute nodes learn their names",
    )


def _writes_names(config: ConfigStore) -> Grant:
    return Grant(
        name="writes-names",
        role=built_in_role("Storage Blob Data Contributor"),
        scope=config.nodes_container_id,
        why="The head node writes down which machine is which node",
    )


def _reads_published(config: ConfigStore) -> list[Grant]:
    """Return the grant that login nodes need to read published files. The head node and compute nodes already have
    access to the container for the nodes' names.
    """
    if not config.publishes:
        return []
    return [
        Grant(
            name="reads-published",
            role=built_in_role("Storage Blob Data Reader"),
            scope=config.nodes_container_id,
            why="Login nodes fetch the files that the head node publishes",
        )
    ]


def _reads_secret(secret: SecretRef) -> Grant:
    return Grant(
        name=f"reads-{secret.name}",
        role=built_in_role("Key Vault Secrets User"),
        scope=secret.id,
        why=f"Nodes read the cluster's secret {secret.name}",
    )


def _sets_secret(secret: SecretRef) -> Grant:
    return Grant(
        name=f"sets-{secret.name}",
        role=built_in_role("Key Vault Secrets Officer"),
        scope=secret.id,
        why=f"Nodes make the cluster's secret {secret.name} at first boot",
    )


def _writes_logs(logs: LogStore | None) -> list[Grant]:
    if logs is None:
        return []
    return [
        Grant(
            name="writes-logs",
            role=built_in_role("Monitoring Metrics Publisher"),
            scope=logs.rule_id,
            why="Nodes send the logs of failed boots",
        )
    ]
