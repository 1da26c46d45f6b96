"""What the nodes of each role may do: built-in roles on single containers and secrets, and the head node's own roles.

No action has a wildcard, and no role holds for more than a resource group.
"""

import hashlib
from collections.abc import Iterable

from pulumi import Input

from hpc_components.azure.components.roles import Grant, built_in_role
from hpc_components.azure.ports import ConfigStore, LogStore, SecretRef, Services

LAUNCH_ACTIONS = (
    "Microsoft.Compute/virtualMachineScaleSets/read",
    "Microsoft.Compute/virtualMachineScaleSets/write",  # of its capacity; Azure has no action for that alone
    "Microsoft.Compute/virtualMachineScaleSets/delete/action",  # of instances, not of the scale set
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/instanceView/read",
    # The instances of a Flexible scale set are ordinary virtual machines. Whoever deletes one deletes its disk and
    # interface too. These stay in the role when the last such queue leaves the description: its machines must end.
    "Microsoft.Compute/virtualMachines/read",
    "Microsoft.Compute/virtualMachines/instanceView/read",
    "Microsoft.Compute/virtualMachines/delete",
    "Microsoft.Compute/disks/delete",
    "Microsoft.Network/networkInterfaces/delete",
    "Microsoft.Compute/availabilitySets/read",  # whether there is one
)
"""Launch and end machines of the scale sets in a resource group. Nothing makes or deletes a scale set."""

MACHINE_ACTIONS = (
    "Microsoft.Compute/virtualMachines/write",
    "Microsoft.Compute/disks/read",
    "Microsoft.Compute/disks/write",
    "Microsoft.Network/networkInterfaces/read",
    "Microsoft.Network/networkInterfaces/write",
    "Microsoft.Network/networkInterfaces/join/action",
)
"""Make ordinary virtual machines, with their disks and interfaces. Whoever raises the capacity of a Flexible scale
set needs them beside the right to change the set, and so does who deploys machines into an availability set. The
machines of a Uniform scale set are the set's own and need none of them.
Source: Azure documentation, "Orchestration modes for Virtual Machine Scale Sets", "RBAC Permissions Required", read
2026-11-24; "Virtual Machine Contributor" in "Azure built-in roles for Compute" has the same actions.
"""

DEPLOY_ACTIONS = (
    # A deployment may do what its sender may: it takes no more than the machines with their disks and interfaces.
    "Microsoft.Resources/deployments/read",
    "Microsoft.Resources/deployments/write",
    "Microsoft.Resources/templateSpecs/read",
    "Microsoft.Resources/templateSpecs/versions/read",
)
"""Launch machines into the availability sets in a resource group, by a template; with `MACHINE_ACTIONS`."""

USE_ACTIONS = (
    # Whoever changes a scale set must be allowed to use all that its machines are made with.
    # Source: Azure documentation, "Virtual Machine Scale Sets: networking" and "Managed identities: assign".
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
"""Put machines into a subnet, under a security group, with an identity, into a reservation, from an image."""


def compute_grants(services: Services) -> list[Grant]:
    """Compute nodes: read the configuration, their names and the munge key, write logs."""
    return [
        _reads_config(services.config),
        _reads_names(services.config),
        _reads_secret(services.munge),
        *_writes_logs(services.logs),
    ]


def login_grants(services: Services) -> list[Grant]:
    """Login nodes: read the configuration and the munge key, agree on host keys, write logs."""
    return [
        _reads_config(services.config),
        _reads_secret(services.munge),
        _sets_secret(services.host_keys),
        *_writes_logs(services.logs),
    ]


def head_grants(services: Services) -> list[Grant]:
    """The head node, launching apart: read the configuration, name nodes, make the keys, write logs."""
    return [
        _reads_config(services.config),
        _writes_names(services.config),
        _sets_secret(services.munge),
        _sets_secret(services.jwt),
        *_writes_logs(services.logs),
    ]


def use_grants(role: Input[str], ids: Iterable[str]) -> list[Grant]:
    """The role to use each of these resources of other groups, with which compute nodes are made."""
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
