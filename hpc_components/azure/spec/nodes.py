"""The head node, the login nodes and the disks of an Azure cluster."""

from typing import Literal

from hpc_components.spec.model import Int, Model
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.values import Size


class ImagePlan(Model):
    """The purchase plan under which an image is sold on Azure Marketplace, or of the one that it was made from. Azure
    makes machines of it once somebody has accepted its terms for the subscription: `az vm image terms accept`."""

    name: str
    """The plan's name; usually the image's sku."""
    product: str | None = None
    """The offer; default: that of `image`."""
    publisher: str | None = None
    """The publisher; default: that of `image`."""


class AzureDisk(Disk):
    """An encrypted managed disk."""

    type: Literal["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "PremiumV2_LRS"] = "Premium_LRS"
    """Kind of managed disk, in Azure's own words. `PremiumV2_LRS` can't be a root disk."""
    iops: Int | None = None
    """Operations per second, for PremiumV2_LRS."""
    throughput: Int | None = None
    """MB/s, for PremiumV2_LRS."""
    encryption_set: str | None = None
    """Id of a disk encryption set with a key of your own, instead of Azure's key."""


class AzureHeadNode(HeadNode):
    """The node that runs Slurm's controller. It can be replaced: its address and state disk outlive it."""

    root: AzureDisk = AzureDisk(size=Size.gib(64))
    """Root disk; lost when the node is replaced."""
    state: AzureDisk = AzureDisk(size=Size.gib(64))
    """Disk for Slurm's state and the accounting database; outlives the node."""
    image_plan: ImagePlan | None = None
    """The purchase plan of `image`, where it is sold with one."""
    ssh_key: str | None = None
    """Public SSH key of the first administrator, who logs in as `admin_user`; without it a key that nobody has."""
    identity: str | None = None
    """Id of an existing user-assigned identity, instead of one with just the permissions needed."""


class AzureLoginNodes(LoginNodes):
    """Nodes for users, behind one load-balanced address."""

    root: AzureDisk = AzureDisk(size=Size.gib(64))
    """Root disk."""
    image_plan: ImagePlan | None = None
    """The purchase plan of `image`, where it is sold with one."""
    ssh_key: str | None = None
    """Public SSH key of the administrator."""
    identity: str | None = None
    """Id of an existing user-assigned identity."""
