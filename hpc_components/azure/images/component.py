"""Checks node images in component arguments, and converts them to provider arguments."""

from dataclasses import dataclass
from typing import Any

import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.images.offer import ImageOrder, NamedPlan, PurchasePlan, refusals
from hpc_components.spec.surfaces import Key, Keys, refuse_first


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImagePlan:
    """The Azure Marketplace purchase plan of an image, or of the image that it was made from.

    Azure creates machines from the image only after the plan's terms have been accepted for the subscription, with
    `az vm image terms accept`.
    """

    publisher: str
    """Publisher of the image."""
    product: str
    """Offer of the image."""
    name: str
    """Name of the plan, which is usually the image's sku."""


def _as_argument(plan: PurchasePlan) -> ImagePlan:
    return ImagePlan(publisher=plan.publisher, product=plan.product, name=plan.name)


_ARGUMENTS: Keys = {
    "image": Key(("image",)),
    "plan": Key(("image_plan",), _as_argument),
    "os": None,
    "machine": None,
    "fabric": None,
}


def check_image(args: Any) -> None:
    """Raise ValueError if `args.image` is not a valid image, or if its purchase plan is missing or doesn't match."""
    if not isinstance(args.image, str):
        return  # an image that the stack makes
    if image_reference(args.image) is None:
        raise ValueError(
            f"{type(args).__name__}.image: {args.image!r} is not a valid image; write "
            "publisher:offer:sku:version, or the id of a gallery image"
        )
    own: ImagePlan | None = args.image_plan
    plan = NamedPlan(name=own.name, product=own.product, publisher=own.publisher) if own else None
    refuse_first(args, refusals(ImageOrder(image=args.image, plan=plan)), _ARGUMENTS)


def image_args(text: Input[str]) -> "azure_native.compute.ImageReferenceArgs":
    """Return a reference to an image. An Output is the id of an image that the stack makes.

    Raise ValueError if `text` is neither `publisher:offer:sku:version` nor an image id.
    """
    if not isinstance(text, str):
        return azure_native.compute.ImageReferenceArgs(id=text)
    reference = image_reference(text)
    if reference is None:
        raise ValueError(f"{text!r} is not a valid image")
    return azure_native.compute.ImageReferenceArgs(**reference)


def plan_args(own: ImagePlan | None) -> "azure_native.compute.PlanArgs | None":
    if own is None:
        return None
    return azure_native.compute.PlanArgs(publisher=own.publisher, product=own.product, name=own.name)
