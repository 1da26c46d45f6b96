"""Public SSM parameters that hold image ids, by operating system, and root disks' device names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine

Driver = Literal["nvidia", "neuron"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageParameter:
    """A public Systems Manager parameter that holds an image id for each region."""

    os: str
    arch: str
    accelerator: Driver | None
    parameter: str
    serial: str | None
    source: str
    as_of: str
    kernel: str | None = None
    """The image's kernel series at the last check, or None if it has not been checked."""
    before: Mapping[str, str] | None = None
    """The last images with an older kernel series: their `kernel`, and the `name` to search for in EC2."""
    unsure: Sequence[str] = ()

    @property
    def floating(self) -> bool:
        """Whether the value changes with each release, so that a description may create different nodes later."""
        return self.serial is None


@cache
def image_parameters() -> tuple[ImageParameter, ...]:
    """Return all parameters."""
    return tuple(ImageParameter(**record) for record in records("images", __file__))


def image_parameter(os: str, arch: str, accelerator: Driver | None = None) -> ImageParameter | None:
    """Return the default image's parameter, or None if AWS publishes no such image and the user must specify one.

    `arch` is `x86_64` or `arm64`. If `accelerator` is given, the image contains that driver.
    """
    wanted = (os, arch, accelerator)
    return next((one for one in image_parameters() if (one.os, one.arch, one.accelerator) == wanted), None)


def has_image(os: str, machine: Machine) -> bool:
    """Return whether the operating system has a public image for `machine` that includes the driver it needs."""
    return image_parameter(os, machine.arch, driver_for(machine)) is not None


def driver_for(machine: Machine) -> Driver | None:
    """Return the driver that an image for the machine must contain."""
    if machine.accelerator is None:
        return None
    return "neuron" if machine.accelerator.manufacturer == "AWS" else "nvidia"


@cache
def root_device(os: str) -> str:
    """Return the root disk's device name in the public images of an operating system.

    A launch with a different name would add a second disk and leave the root disk as small as the image.
    """
    return next((r["device"] for r in records("root_devices", __file__) if r["os"] == os), "/dev/sda1")
