import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.catalog._load import records
from hpc_components.catalog.base_image import BaseImage
from hpc_components.catalog.machine_type import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(BaseImage):
    """A version of a public image. All images in the catalogue are generation 2."""

    accelerator: Literal["nvidia", "nvidia_volta", "amd"] | None = None
    publisher: str
    offer: str
    sku: str
    version: str
    """Version, such as `24.04.202607140`, or `latest`."""
    gib: int
    """Size of the image's disk in GiB. A root disk must be at least this large."""

    @property
    def id(self) -> str:
        """URN of the image."""
        return f"{self.publisher}:{self.offer}:{self.sku}:{self.version}"

    @property
    def pin(self) -> str | None:
        return None if self.version == "latest" else self.version

    @property
    def line(self) -> str:
        return f"{self.publisher}:{self.offer}:{self.sku}"


@cache
def images() -> tuple[Image, ...]:
    """Return the version of each public image that nodes use by default."""
    return tuple(Image(**record) for record in records("images", __file__))


@cache
def all_images() -> tuple[Image, ...]:
    """Return all known versions of public images, the default ones first."""
    return images() + tuple(Image(**record) for record in records("other_images", __file__))


def image_of(os: str, machine: Machine) -> Image | None:
    """Return the public image of an operating system that suits a machine.

    For a machine with GPUs, return only an image that includes a driver for the GPUs. For a machine with InfiniBand,
    prefer an image with InfiniBand drivers, and for others one without any. If there is only one kind (as for Debian
    and AlmaLinux), return that.

    Return None if no public image is suitable. The user must then specify an image.
    """
    found = [image for image in images() if (image.os, image.arch) == (os, machine.arch)]
    if machine.accelerator is not None:
        return next((image for image in found if image.drives(machine)), None)
    plain = [image for image in found if image.accelerator is None]
    equipped = [image for image in found if image.fabric and image.accelerator == "nvidia"]
    return next(iter([*equipped, *plain] if machine.has_fabric else [*plain, *equipped]), None)


def has_image(os: str, machine: Machine) -> bool:
    return image_of(os, machine) is not None


def has_fabric_driver(os: str, machine: Machine, image: str | None = None) -> bool:
    """Return whether `image`, or the default image, includes InfiniBand drivers if the machine has InfiniBand.

    Unknown images are assumed to include them.
    """
    found = base_image(os, machine, image, False)
    return not machine.has_fabric or found is None or found.fabric


def image_gib(os: str, machine: Machine | None = None) -> tuple[int, bool] | None:
    """Return the size in GiB of a machine's public image and whether the size is confirmed, or None if there is no
    image.

    If `machine` is None, use an image without GPU drivers.
    """
    if machine is not None:
        found = image_of(os, machine)
    else:
        of_os = [image for image in images() if image.os == os]
        found = next((image for image in of_os if image.accelerator is None), next(iter(of_os), None))
    return (found.gib, "gib" not in found.unsure) if found else None


def public_image(text: str) -> Image | None:
    """Return the catalogue's image with this URN, or another version of it.

    Return None if the catalogue has no such image, or if `text` is an id.
    """
    line = text.rpartition(":")[0]
    of_line = [image for image in all_images() if image.line == line]
    return next((image for image in of_line if image.id == text), of_line[0] if of_line else None)


def base_image(os: str, machine: Machine, image: str | None, lustre: bool) -> Image | None:
    """Return the record of `image`, or of the machine's default image if it is None."""
    return public_image(image) if image else image_of(os, machine)


def image_reference(text: str) -> dict[str, str] | None:
    """Return the image reference for Azure Resource Manager, or None if the text is neither a URN nor an image id.

    A URN becomes `{"publisher": ..., "offer": ..., "sku": ..., "version": ...}`. The id of a managed image, or of an
    image or image version in a gallery, becomes `{"id": ...}`.
    """
    part = r"[\w.-]+"
    if match := re.fullmatch(rf"({part}):({part}):({part}):({part})", text):
        return dict(zip(("publisher", "offer", "sku", "version"), match.groups(), strict=True))
    if any(arm_id(text, kind) for kind in ("image", "gallery_image", "gallery_image_version")):
        return {"id": text}
    if re.fullmatch(rf"/(?:Community|Shared)Galleries/{part}/Images/{part}(?:/Versions/{part})?", text, re.I):
        return {"id": text}
    return None
