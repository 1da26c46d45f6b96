"""Image plans of the nodes of an Azure cluster."""

from hpc_components.spec.model import Model


class ImagePlan(Model):
    """The Azure Marketplace purchase plan of an image, or of the image from which it was made. Azure creates machines
    only after its terms have been accepted for the subscription: `az vm image terms accept`."""

    name: str
    """Name of the plan; usually the image's sku."""
    product: str | None = None
    """Offer; default: that of `image`."""
    publisher: str | None = None
    """Publisher; default: that of `image`."""
