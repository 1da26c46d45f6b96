"""Public images of operating systems, by machine, and what is in them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One public image in one version. All are for machines of generation 2, and need no purchase plan."""

    os: str
    """As in `ubuntu-24.04`."""
    arch: Literal["x86_64", "arm64"]
    publisher: str
    offer: str
    sku: str
    version: str
    """As in `24.04.202607140`, or `latest`."""
    accelerator: Literal["nvidia", "nvidia_volta", "amd"] | None = None
    """Whose GPUs it has the driver of."""
    models: Sequence[str] = ()
    """The GPUs that this driver is for."""
    fabric: bool = False
    """Whether it has the drivers of InfiniBand."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions of what it has: `ofed`, `hpcx` (NVIDIA's MPI), `lustre` (the client), `nvidia` or `rocm` (drivers)."""
    kernel: str | None = None
    """Its series of kernels (`6.8`); None where no source says so."""
    gib: int
    """Size of its disk, below which no root disk can be."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def urn(self) -> str:
        """`publisher:offer:sku:version`."""
        return f"{self.publisher}:{self.offer}:{self.sku}:{self.version}"

    @property
    def floating(self) -> bool:
        """Whether its value changes with each release, so that the same description makes other nodes next month."""
        return self.version == "latest"


@cache
def images() -> tuple[Image, ...]:
    """All images."""
    return tuple(Image(**record) for record in records("images", __file__))


def image_of(os: str, machine: Machine) -> Image | None:
    """The image for an operating system on a machine: one with what its fabric and GPUs need, where there is one.

    None where nobody publishes one: then the user must name an image. A machine with a fabric gets an image without
    its drivers if there is no other (`fabric` is false then: Debian).
    """
    found = [image for image in images() if (image.os, image.arch) == (os, machine.arch)]
    if machine.accelerator is not None:
        return next((image for image in found if machine.accelerator.model in image.models), None)
    plain = [image for image in found if image.accelerator is None]
    equipped = [image for image in found if image.fabric and image.accelerator == "nvidia"]
    return next(iter([*equipped, *plain] if machine.has_fabric else plain), None)


def has_image(os: str, machine: Machine) -> bool:
    """Whether there is a public image of the operating system for a machine, with the driver of its GPUs."""
    return image_of(os, machine) is not None


def image_gib(os: str, machine: Machine | None = None) -> tuple[int, bool] | None:
    """GiB of the public image of an operating system for a machine, and whether that is sure; None if there is none.

    Without a machine, of the plain one.
    """
    if machine is not None:
        found = image_of(os, machine)
    else:
        found = next((image for image in images() if image.os == os and image.accelerator is None), None)
    return (found.gib, "gib" not in found.unsure) if found else None


def image_reference(text: str) -> dict[str, str] | None:
    """What Resource Manager calls an image; None if the text is neither a URN nor an id.

    `{"publisher": ..., "offer": ..., "sku": ..., "version": ...}` of a URN; `{"id": ...}` of the id of a managed
    image, a gallery's image or one version of it, or an image of a community gallery.
    """
    part = r"[\w.-]+"
    if match := re.fullmatch(rf"({part}):({part}):({part}):({part})", text):
        return dict(zip(("publisher", "offer", "sku", "version"), match.groups(), strict=True))
    if any(arm_id(text, kind) for kind in ("image", "gallery_image", "gallery_image_version")):
        return {"id": text}
    if re.fullmatch(rf"/(?:Community|Shared)Galleries/{part}/Images/{part}(?:/Versions/{part})?", text, re.I):
        return {"id": text}
    return None
