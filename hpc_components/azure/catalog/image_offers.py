"""What is known of public images that a description names: what they need, and what they are for."""

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
    """`publisher:offer:sku:version`, or an id."""
    os: str
    """The operating system that it is to have."""
    machine: Machine
    fabric: bool = False
    """Whether jobs use InfiniBand."""
    has_plan: bool = False
    """Whether a purchase plan is named beside it."""


def image_refusals(order: ImageOrder) -> Iterator[Refusal]:
    """Why nodes of such an image would not start, as far as its name tells.

    The fields: `plan`: see `plan_refusals`. `generation`: the machine takes images of generation 2 only. `arch`,
    `os`: the image has another one (in `allowed`); nothing more is said of a system that nodes can't boot.
    `accelerator`, `fabric`: it has no drivers of the machine's GPUs (`allowed` has images that do) or of InfiniBand;
    `unsure` of the image has `models` where the former is not certain.
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
    """The catalogue's image of that publisher, offer and sku, in any version; None for another one, and for ids."""
    names = _names(text)
    return next((image for image in images() if (image.publisher, image.offer, image.sku) == names), None)


def _for_gpus(order: ImageOrder) -> Sequence[str]:
    """The images of the operating system that have the driver."""
    model = order.machine.accelerator.model if order.machine.accelerator else ""
    return tuple(image.urn for image in images() if image.os == order.os and model in image.models)


def _names(text: str) -> tuple[str, str, str] | None:
    """Publisher, offer and sku of a URN."""
    found = image_reference(text) or {}
    return (found["publisher"], found["offer"], found["sku"]) if "sku" in found else None
