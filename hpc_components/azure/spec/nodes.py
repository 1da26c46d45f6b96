"""The head node, the login nodes and the disks of an Azure cluster."""

from typing import Literal

from hpc_components.spec.model import Int, Model
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.values import Size


class ImagePlan(Model):
    """The Azure Marketplace purchase plan of an image, or of the image from which it was made. Azure creates machines
    only after its terms have been accepted for the subscription: `az vm image terms accept`."""

    name: str
    """Name of the plan; usually the image's sku."""
    product: str | None = None
    """Offer; default: that of `image`."""
    publisher: str | None = None
    """Publisher; default: that of `image`."""


class AzureDisk(Disk):
    """An encrypted managed disk."""

    type: Literal["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "PremiumV2_LRS"] = "Premium_LRS"
    """Type of managed disk, as Azure names it. `PremiumV2_LRS` can't be a root disk."""
    iops: Int | None = None
    """Operations per second, for PremiumV2_LRS."""
    throughput: Int | None = None
    """Throughput in MB/s, for PremiumV2_LRS."""
    encryption_set: str | None = None
    """Id of a disk encryption set with a customer-managed key; default: Azure's key."""


class AzureHeadNode(HeadNode):
    """The node that runs Slurm's controller. Its address and state disk are kept when it is replaced."""

    root: AzureDisk = AzureDisk(size=Size.gib(64))
    """Root disk; its content is lost when the node is replaced."""
    state: AzureDisk = AzureDisk(size=Size.gib(64))
    """Disk for Slurm's state and the accounting database; it is kept when the node is replaced."""
    image_plan: ImagePlan | None = None
    """Purchase plan of `image`, if it has one."""
    ssh_key: str | None = None
    """Public SSH key of the administrator, who logs in as `admin_user`; default: a key that is unknown to
    everyone."""
    identity: str | None = None
    """Id of an existing user-assigned identity; default: a new one with only the required permissions."""


class AzureLoginNodes(LoginNodes):
    """Nodes for users, behind one load-balanced address."""

    root: AzureDisk = AzureDisk(size=Size.gib(64))
    """Root disk."""
    image_plan: ImagePlan | None = None
    """Purchase plan of `image`, if it has one."""
    ssh_key: str | None = None
    """Public SSH key of the administrator."""
    identity: str | None = None
    """Id of an existing user-assigned identity."""
