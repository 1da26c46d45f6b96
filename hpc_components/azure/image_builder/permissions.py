from dataclasses import dataclass

BUILD_ACTIONS = (
    "Microsoft.Compute/galleries/read",
    "Microsoft.Compute/galleries/images/read",
    "Microsoft.Compute/galleries/images/versions/read",
    "Microsoft.Compute/galleries/images/versions/write",
    "Microsoft.Compute/images/write",
    "Microsoft.Compute/images/read",
    "Microsoft.Compute/images/delete",
)
"""Actions for putting images into a gallery. Source: Azure documentation, "Configure Azure VM Image Builder
permissions", distribute images."""

NETWORK_ACTIONS = ("Microsoft.Network/virtualNetworks/read", "Microsoft.Network/virtualNetworks/subnets/join/action")
"""Actions for making images in an existing network. Source: Azure documentation, "Configure Azure VM Image Builder
permissions", existing virtual networks."""

RUN_ACTIONS = (
    "Microsoft.VirtualMachineImages/imageTemplates/read",
    "Microsoft.VirtualMachineImages/imageTemplates/run/action",
    "Microsoft.Compute/galleries/read",
    "Microsoft.Compute/galleries/images/read",
    "Microsoft.Compute/galleries/images/versions/read",
    "Microsoft.Compute/galleries/images/versions/delete",
)
"""Actions for running builds, and for deleting versions of images. Source: Azure RBAC, resource provider operations,
Microsoft.VirtualMachineImages and Microsoft.Compute."""


@dataclass(frozen=True, kw_only=True)
class BuilderRole:
    """A custom role for making images."""

    name: str
    title: str
    description: str
    actions: tuple[str, ...]
    of_network: bool = False
    """Whether its scope is the network's resource group, instead of the images' one."""


ROLES = (
    BuilderRole(
        name="build", title="make images", description="Makes the images of one cluster.", actions=BUILD_ACTIONS
    ),
    BuilderRole(
        name="network",
        title="join the network for images",
        description="Puts the machines that make images into a subnet.",
        actions=NETWORK_ACTIONS,
        of_network=True,
    ),
    BuilderRole(
        name="run",
        title="run builds",
        description="Runs the builds of one cluster's images, and deletes versions.",
        actions=RUN_ACTIONS,
    ),
)
