"""Public images of operating systems, by machine."""

from dataclasses import dataclass

from hpc_components.catalog.machine_type import Machine

__all__ = ["Image", "image_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One public image."""

    os: str
    name: str
    """`projects/<project>/global/images/...`."""
    accelerator: bool = False


_IMAGES = (
    Image(os="ubuntu-24.04", name="projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"),
    Image(
        os="ubuntu-24.04",
        name="projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2404-amd64-with-nvidia-580",
        accelerator=True,
    ),
)


def image_of(os: str, machine: Machine) -> Image | None:
    """The image for an operating system on a machine."""
    wanted = (os, machine.accelerator is not None)
    return next((image for image in _IMAGES if (image.os, image.accelerator) == wanted), None)
