from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.disks.component import EPHEMERAL_BASE, EPHEMERAL_CACHING, RootDisk
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.machines import profile

API_VERSION = "2024-11-01"
"""API version of Microsoft.Compute used in the template."""
NETWORK_API_VERSION = "2022-11-01"
"""API version of Microsoft.Network that Compute uses to create a machine's network interface."""
FAULT_DOMAINS = 2
"""Number of racks across which machines without InfiniBand are spread. Every region supports this number. Source:
Azure documentation, "Availability sets overview"."""
_SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"


@dataclass(frozen=True, kw_only=True)
class NamedMachines:
    """Settings shared by all machines of an availability set."""

    machine: str
    image: Input[str]
    """`publisher:offer:sku:version`, or the id of an image."""
    image_plan: ImagePlan | None
    user_data: str
    """Script that a node runs at first boot, as plain text."""
    root: RootDisk
    ephemeral: Mapping[str, str] | None
    """Settings for a root disk on the machine's local disks, or None for a managed root disk."""
    admin_user: str
    """Name of the administrator account. No one has the private key for the account's SSH key."""
    identities: Sequence[Input[str]]
    """Ids of the machines' user-assigned identities."""
    subnet: Input[str]
    security_group: Input[str] | None
    proximity_group: Input[str] | None
    fabric: bool
    """Whether the machines share an InfiniBand fabric."""


def make_availability_set(
    name: str,
    *,
    group: Input[str],
    location: str,
    machines: NamedMachines,
    tags: Mapping[str, Input[str]],
    opts: pulumi.ResourceOptions,
) -> "azure_native.compute.AvailabilitySet":
    """Create an availability set in the resource group named `group`. `tags` are set on the availability set and on
    its machines.

    Unlike a scale set, an availability set stores no model of its machines. Its tag `hpc:template` therefore contains
    the id of a template spec version, which the head node deploys with the names of the nodes to launch.
    """
    spec = azure_native.resources.TemplateSpec(
        f"{name}-template",
        resource_group_name=group,
        location=location,
        description="Makes compute nodes. The head node deploys it.",
        tags={**tags, "Name": f"{name}-template"},
        opts=opts,
    )
    version = azure_native.resources.TemplateSpecVersion(
        f"{name}-template-version",
        resource_group_name=group,
        location=location,
        template_spec_name=spec.name,
        template_spec_version="1",
        main_template=_template(location, machines, tags),
        opts=opts,
    )
    proximity = machines.proximity_group
    return azure_native.compute.AvailabilitySet(
        name,
        resource_group_name=group,
        location=location,
        sku=azure_native.compute.SkuArgs(name="Aligned"),  # required for managed disks
        platform_fault_domain_count=1 if machines.fabric else FAULT_DOMAINS,
        proximity_placement_group=None if proximity is None else azure_native.compute.SubResourceArgs(id=proximity),
        tags={**tags, "hpc:template": version.id},
        opts=opts,
    )


def _reference(image: Input[str]) -> Mapping[str, Input[str]] | None:
    return image_reference(image) if isinstance(image, str) else {"id": image}


def _template(location: str, machines: NamedMachines, tags: Mapping[str, Input[str]]) -> dict[str, Any]:
    """Return the template. Its parameters are machine and node names, the launch token and the availability set's id.

    A machine's disk and network interface are deleted with the machine. Source: Azure Resource Manager documentation,
    "Resource iteration in ARM templates"; template reference, Microsoft.Compute virtualMachines.
    """
    marks = {"hpc:node": "[parameters('machines')[copyIndex()].node]", "hpc:token": "[parameters('token')]"}
    properties: dict[str, Any] = {
        "availabilitySet": {"id": "[parameters('availabilitySet')]"},
        "hardwareProfile": {"vmSize": machines.machine},
        "storageProfile": {"imageReference": _reference(machines.image), "osDisk": _root(machines)},
        "osProfile": {
            "computerName": marks["hpc:node"],
            "adminUsername": machines.admin_user,
            "customData": profile.custom_data(machines.user_data),
            "linuxConfiguration": {
                "disablePasswordAuthentication": True,
                "ssh": {
                    "publicKeys": [
                        {
                            "path": f"/home/{machines.admin_user}/.ssh/authorized_keys",
                            "keyData": profile.UNUSABLE_SSH_KEY,
                        }
                    ]
                },
            },
        },
        "networkProfile": {
            "networkApiVersion": NETWORK_API_VERSION,
            "networkInterfaceConfigurations": [_interface(machines)],
        },
        "diagnosticsProfile": {"bootDiagnostics": {"enabled": True}},
    }
    if machines.proximity_group is not None:
        properties["proximityPlacementGroup"] = {"id": machines.proximity_group}
    plan = {"plan": asdict(machines.image_plan)} if machines.image_plan else {}
    return {
        "$schema": _SCHEMA,
        "contentVersion": "1.0.0.0",
        "parameters": {
            "machines": {"type": "array"},
            "token": {"type": "string"},
            "availabilitySet": {"type": "string"},
        },
        "resources": [
            {
                "type": "Microsoft.Compute/virtualMachines",
                "apiVersion": API_VERSION,
                "name": "[parameters('machines')[copyIndex()].name]",
                "copy": {"name": "machines", "count": "[length(parameters('machines'))]"},
                "location": location,
                "tags": {**{key: _literal(value) for key, value in tags.items()}, **marks},
                "identity": {
                    "type": "UserAssigned",
                    "userAssignedIdentities": Output.all(*machines.identities).apply(
                        lambda ids: {id: {} for id in ids}
                    ),
                },
                **plan,
                "properties": properties,
            }
        ],
    }


def _root(machines: NamedMachines) -> dict[str, Any]:
    disk, ephemeral = machines.root, machines.ephemeral
    managed: dict[str, Any] = {"storageAccountType": EPHEMERAL_BASE if ephemeral else disk.type}
    if disk.encryption_set is not None:
        managed["diskEncryptionSet"] = {"id": disk.encryption_set}
    return {
        "createOption": "FromImage",
        "caching": EPHEMERAL_CACHING if ephemeral else "ReadWrite",
        "diskSizeGB": disk.size_gib,
        **({"diffDiskSettings": ephemeral} if ephemeral else {}),
        "managedDisk": managed,
        "deleteOption": "Delete",
    }


def _interface(machines: NamedMachines) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "primary": True,
        "enableAcceleratedNetworking": True,
        "deleteOption": "Delete",
        "ipConfigurations": [{"name": "address", "properties": {"primary": True, "subnet": {"id": machines.subnet}}}],
    }
    if machines.security_group is not None:
        properties["networkSecurityGroup"] = {"id": machines.security_group}
    return {"name": "ethernet", "properties": properties}


def _literal(value: Input[str]) -> Input[str]:
    """Escape a value for the template. Azure would evaluate text that begins with a bracket as an expression."""
    return f"[{value}" if isinstance(value, str) and value.startswith("[") else value
