"""Purchase plans of images on Azure Marketplace."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.azure.catalog.images import image_reference, images
from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.refusal import Refusal, Why

_of_kind = RecordsByKind("image_offers", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchasePlan:
    """The purchase plan that Azure Resource Manager requires for a machine with such an image."""

    publisher: str
    product: str
    """Usually the image's offer."""
    name: str
    """Usually the image's sku."""

    @property
    def terms_command(self) -> str:
        """Command that accepts the plan's terms for a subscription."""
        return f"az vm image terms accept --publisher {self.publisher} --offer {self.product} --plan {self.name}"


def purchase_plan(
    image: str | None, *, name: str | None = None, product: str | None = None, publisher: str | None = None
) -> PurchasePlan | None:
    """Return the plan of an image, with missing parts from its URN; None if it is not an image of the Marketplace.

    Source: Microsoft.Compute, Plan: "product ... is the same value as Offer under the imageReference element"; HBv4
    page of Azure's documentation, where the plan of AlmaLinux-HPC has the name of its sku.
    """
    reference = (image_reference(image) if image else None) or {}
    publisher = publisher or reference.get("publisher")
    product, name = product or reference.get("offer"), name or reference.get("sku")
    if publisher is None or product is None or name is None:
        return None
    return PurchasePlan(publisher=publisher, product=product, name=name)


def plan_refusals(image: str, *, has_plan: bool) -> Iterator[Refusal]:
    """Yield a refusal if the plan of an image is missing, or is given for an image without one.

    The field is `plan`: `MISSING` if the image is sold with a plan, `NOT_TAKEN` if it is known to have none. Images
    without a record are accepted. Source: Azure documentation, "Supply Azure Marketplace purchase plan information";
    "Common error codes for Azure virtual machines", VMMarketplaceInvalidInput.
    """
    if not has_plan and any(offer_records("plan", image)):
        yield Refusal(field="plan", why=Why.MISSING)
    reference = image_reference(image) or {}
    named = tuple(reference.get(key) for key in ("publisher", "offer", "sku"))
    if has_plan and any((each.publisher, each.offer, each.sku) == named for each in images()):
        yield Refusal(field="plan", why=Why.NOT_TAKEN, because_of="image")


def other_system(image: str) -> str | None:
    """Return the image's operating system if it is known to be one that nodes can't boot; otherwise None."""
    return next((record["os"] for record in offer_records("system", image)), None)


def offer_records(kind: str, image: str) -> Iterator[Record]:
    """Yield the records of one kind for the offer of an image: those whose publisher, offer and sku, as far as given,
    match its URN. Azure ignores their case."""
    reference = image_reference(image) or {}
    for record in _of_kind(kind) if "publisher" in reference else ():
        keys = [key for key in ("publisher", "offer", "sku") if key in record]
        if all(record[key].lower() == reference[key].lower() for key in keys):
            yield record
