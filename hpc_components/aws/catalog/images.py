"""The public SSM parameters with the image ids of each operating system, and the device names of root disks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.base_image import BaseImage
from hpc_components.catalog.machine_type import Machine

Driver = Literal["nvidia", "neuron"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageParameter(BaseImage):
    """A public Systems Manager parameter that provides an image id in each region."""

    accelerator: Driver | None = None
    parameter: str
    serial: str | None
    before: Mapping[str, str] | None = None
    """The latest images with an older kernel series: `kernel` is that series, and `name` is the name to search for in
    EC2."""

    @property
    def id(self) -> str:
        return self.parameter

    @property
    def pin(self) -> str | None:
        return self.serial

    @property
    def line(self) -> str:
        return self.parameter.replace(f"/{self.serial}/", "/")


@cache
def image_parameters() -> tuple[ImageParameter, ...]:
    return tuple(ImageParameter(**record) for record in records("images", __file__))


def image_parameter(os: str, arch: str, accelerator: Driver | None = None) -> ImageParameter | None:
    """Return the parameter of the default image, or None if AWS doesn't publish such an image, in which case the user
    must specify one.

    `arch` is `x86_64` or `arm64`. If `accelerator` is not None, the image contains that driver.
    """
    wanted = (os, arch, accelerator)
    return next((one for one in image_parameters() if (one.os, one.arch, one.accelerator) == wanted), None)


def has_image(os: str, machine: Machine) -> bool:
    return image_parameter(os, machine.arch, driver_for(machine)) is not None


def base_image(os: str, machine: Machine, image: str | None, lustre: bool) -> ImageParameter | None:
    """Return the machine's default image, or None if `image` is given, because an image id says nothing about it."""
    return None if image else image_parameter(os, machine.arch, driver_for(machine))


def driver_for(machine: Machine) -> Driver | None:
    if machine.accelerator is None:
        return None
    return "neuron" if machine.accelerator.manufacturer == "AWS" else "nvidia"


@cache
def root_device(os: str) -> str:
    """Return the device name of the root disk in an operating system's public images.

    A launch with a different name would add a second disk and leave the root disk as small as the image.
    """
    return next((r["device"] for r in records("root_devices", __file__) if r["os"] == os), "/dev/sda1")
