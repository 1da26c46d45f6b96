"""Disks and image plans of the nodes in an Azure description."""

from typing import Literal

from hpc_components.spec.model import Int, Model
from hpc_components.spec.nodes import Disk


class ImagePlan(Model):
    """The Azure Marketplace purchase plan of an image, or of the image that it was made from. Azure only creates
    machines after the plan's terms have been accepted for the subscription: `az vm image terms accept`.
    """

    name: str
    """Name of the plan, which is usually the image's sku."""
    product: str | None = None
    """Offer; default: the offer of `image`."""
    publisher: str | None = None
    """Publisher; default: the publisher of `image`."""


class AzureDisk(Disk):
    """An encrypted managed disk."""

    type: Literal["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "PremiumV2_LRS"] = "Premium_LRS"
    """Type of managed disk, by Azure's name. `PremiumV2_LRS` can't be a root disk."""
    iops: Int | None = None
    """I/O operations per second, for PremiumV2_LRS."""
    throughput: Int | None = None
    """Throughput in MB/s, for PremiumV2_LRS."""
    encryption_set: str | None = None
    """Id of a disk encryption set with a customer-managed key; default: Azure's key."""
