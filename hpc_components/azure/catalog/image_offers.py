"""Public images that a description names: whether nodes can boot from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.azure.catalog.image_plans import offer_records, other_system, plan_refusals
from hpc_components.azure.catalog.images import Image, image_reference, images
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal, Why

_of_kind = RecordsByKind("image_offers", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOrder:
    """An image for nodes of one machine type."""

    image: str
    """Image as `publisher:offer:sku:version`, or an id."""
    os: str
    """Operating system that the description asks for."""
    machine: Machine
    fabric: bool = False
    """Whether the nodes use InfiniBand."""
    has_plan: bool = False
    """Whether a purchase plan is given with it."""


def image_refusals(order: ImageOrder) -> Iterator[Refusal]:
    """Yield why nodes would not start with this image, as far as its name tells.

    Fields: `plan`: see `plan_refusals`. `generation`: the machine supports generation 2 images only. `arch`, `os`:
    the image has another one, which `allowed` holds; for an operating system that nodes can't boot, this is the only
    refusal. `accelerator`, `fabric`: the image lacks drivers for the machine's GPUs (`allowed` holds images with
    them) or for InfiniBand; if the former is not certain, `unsure` of the image contains `models`.

    Source: the catalogue's images and offers.
    """
    if system := other_system(order.image):
        yield Refusal(field="os", why=Why.NOT_TAKEN, because_of="image", allowed=(system,))
        return
    yield from plan_refusals(order.image, has_plan=order.has_plan)
    if any(offer_records("generation_1", order.image)):
        families = {family for record in _of_kind("generation_2_only") for family in record["families"]}
        if order.machine.family in families or order.machine.arch == "arm64":
            yield Refusal(field="generation", why=Why.NOT_TAKEN, because_of="machine", allowed=(2,))
    found = public_image(order.image)
    if found is None:
        return
    if found.arch != order.machine.arch:
        yield Refusal(field="arch", why=Why.NOT_TAKEN, because_of="machine", allowed=(found.arch,))
    if found.os != order.os:
        yield Refusal(field="os", why=Why.NOT_TAKEN, because_of="image", allowed=(found.os,))
    accelerator = order.machine.accelerator
    if accelerator is not None and accelerator.model not in found.models:
        yield Refusal(field="accelerator", why=Why.NOT_TAKEN, because_of="machine", allowed=_for_gpus(order))
    if order.fabric and not found.fabric:
        yield Refusal(field="fabric", why=Why.NOT_TAKEN, because_of="machine")


def public_image(text: str) -> Image | None:
    """Return the catalogue's image with this publisher, offer and sku, in any version; None for other images and
    ids."""
    names = _names(text)
    return next((image for image in images() if (image.publisher, image.offer, image.sku) == names), None)


def _for_gpus(order: ImageOrder) -> Sequence[str]:
    """Return the images of the operating system that have the GPU driver."""
    model = order.machine.accelerator.model if order.machine.accelerator else ""
    return tuple(image.urn for image in images() if image.os == order.os and model in image.models)


def _names(text: str) -> tuple[str, str, str] | None:
    """Return publisher, offer and sku of a URN; None for an id."""
    found = image_reference(text) or {}
    return (found["publisher"], found["offer"], found["sku"]) if "sku" in found else None
