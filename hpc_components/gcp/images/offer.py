from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.catalog.level import Level
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.gcp.catalog.images import image_of, images, public_image

_SYSTEM = Limit(
    id="HPC-OSI-016",
    title="A public image must have the machine's architecture and the cluster's operating system",
    source='the catalogue\'s images; Compute Engine documentation, "Operating system details"',
)
_DRIVER = Limit(
    id="HPC-OSI-017",
    title="A public image for a machine with GPUs must include the driver for these GPUs",
    source='the catalogue\'s images; Compute Engine documentation, "Accelerator-optimized images"',
)

LIMITS = (_SYSTEM, _DRIVER)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOrder:
    """An image that the user specifies for nodes of one machine type."""

    image: str
    os: str
    """The cluster's operating system."""
    machine: Machine


def refusals(order: ImageOrder) -> Iterator[Refusal]:
    """Yield the reasons why nodes would not work with an image. Only images in the catalogue are checked."""
    found, machine = public_image(order.image), order.machine
    if found is None:
        return
    default = image_of(order.os, machine)
    advice = f"the default is {default.id}" if default else "or use another image"
    if found.arch != machine.arch:
        reason = f"{order.image} is built for {found.arch}, but {machine.name} is {machine.arch}"
        yield _SYSTEM.refuse("image", reason=reason, changes={"image": None}, advice=advice, conflicts_with="machine")
    if found.os != order.os:
        reason = f"{order.image} contains {found.os}, but the cluster's operating system is {order.os}"
        yield _SYSTEM.refuse("image", reason=reason, changes={"image": None}, advice=advice, conflicts_with="os")
    model = machine.accelerator.model if machine.accelerator else None
    if model is not None and not found.drives(machine):
        able = [each.id for each in images() if each.os == order.os and model in each.models]
        yield _DRIVER.refuse(
            "image",
            reason=f"{order.image} has no driver for the {model} GPUs of {machine.name}",
            changes={"image": able[0]} if able else {},
            alternative={"image": able[1]} if able[1:] else {},
            advice="" if able else "use a custom image",
            conflicts_with="machine",
            level=Level.WARNING if found.accelerator and "models" in found.unsure else None,
        )
