"""Disks and image plans of the nodes of an Azure cluster."""

from typing import Literal

from hpc_components.spec.model import Int, Model
from hpc_components.spec.nodes import Disk


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
