"""Purchase plans of images: under what name an image is sold on Azure Marketplace."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.azure.catalog.images import image_reference, images
from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.refusal import Refusal, Why

_of_kind = RecordsByKind("image_offers", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchasePlan:
    """What Resource Manager wants to know of a machine whose image is sold with a plan."""

    publisher: str
    product: str
    """Usually the image's offer."""
    name: str
    """Usually the image's sku."""

    @property
    def terms_command(self) -> str:
        """The command that accepts its terms for a subscription."""
        return f"az vm image terms accept --publisher {self.publisher} --offer {self.product} --plan {self.name}"


def purchase_plan(
    image: str | None, *, name: str | None = None, product: str | None = None, publisher: str | None = None
) -> PurchasePlan | None:
    """The plan of an image; what is not given is that of its URN. None if that names no image of the Marketplace.

    Source: Microsoft.Compute, Plan: "product ... is the same value as Offer under the imageReference element"; HBv4
    page of Azure's documentation, whose plan of AlmaLinux-HPC is called like its sku.
    """
    reference = (image_reference(image) if image else None) or {}
    publisher = publisher or reference.get("publisher")
    product, name = product or reference.get("offer"), name or reference.get("sku")
    if publisher is None or product is None or name is None:
        return None
    return PurchasePlan(publisher=publisher, product=product, name=name)


def plan_refusals(image: str, *, has_plan: bool) -> Iterator[Refusal]:
    """Whether Azure makes no machine of an image because its plan is not named, or because it has none.

    The field `plan`: `MISSING` where the image is sold with one, `NOT_TAKEN` where it is known to have none. What no
    record says of an image is let pass. Source: Azure documentation, "Supply Azure Marketplace purchase plan
    information"; "Common error codes for Azure virtual machines", VMMarketplaceInvalidInput.
    """
    if not has_plan and any(offer_records("plan", image)):
        yield Refusal(field="plan", why=Why.MISSING)
    reference = image_reference(image) or {}
    named = tuple(reference.get(key) for key in ("publisher", "offer", "sku"))
    if has_plan and any((each.publisher, each.offer, each.sku) == named for each in images()):
        yield Refusal(field="plan", why=Why.NOT_TAKEN, because_of="image")


def other_system(image: str) -> str | None:
    """The operating system of a publisher's images, where nodes can't boot it; None if no record says one."""
    return next((record["os"] for record in offer_records("system", image)), None)


def offer_records(kind: str, image: str) -> Iterator[Record]:
    """What is known of the offer of an image with a URN: records that name its publisher, and its offer and sku or
    all of them. Azure compares these without case."""
    reference = image_reference(image) or {}
    for record in _of_kind(kind) if "publisher" in reference else ():
        keys = [key for key in ("publisher", "offer", "sku") if key in record]
        if all(record[key].lower() == reference[key].lower() for key in keys):
            yield record
