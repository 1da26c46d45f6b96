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
