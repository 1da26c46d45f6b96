"""The public parameters under which AWS publishes images of operating systems, and the names of their root disks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine

Driver = Literal["nvidia", "neuron"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageParameter:
    """A public Systems Manager parameter whose value is an image id in every region."""

    os: str
    arch: str
    accelerator: Driver | None
    parameter: str
    serial: str | None
    source: str
    as_of: str
    kernel: str | None = None
    """Series of the kernel in it, as last read; None where that was not read."""
    before: Mapping[str, str] | None = None
    """The last images with an older series: that `kernel`, and the `name` that EC2 finds them by."""
    unsure: Sequence[str] = ()

    @property
    def floating(self) -> bool:
        """Whether its value changes with each release, so that the same description makes other nodes next month."""
        return self.serial is None


@cache
def image_parameters() -> tuple[ImageParameter, ...]:
    """All parameters."""
    return tuple(ImageParameter(**record) for record in records("images", __file__))


def image_parameter(os: str, arch: str, accelerator: Driver | None = None) -> ImageParameter | None:
    """Where AWS publishes the default image, or None when nobody does: then the user must name an image.

    `arch` is `x86_64` or `arm64`; `accelerator` asks for an image that brings its driver.
    """
    wanted = (os, arch, accelerator)
    return next((one for one in image_parameters() if (one.os, one.arch, one.accelerator) == wanted), None)


def has_image(os: str, machine: Machine) -> bool:
    """Whether there is a public image of the operating system for a machine, with the driver that it needs."""
    return image_parameter(os, machine.arch, driver_for(machine)) is not None


def driver_for(machine: Machine) -> Driver | None:
    """Which driver an image for the machine must hold."""
    if machine.accelerator is None:
        return None
    return "neuron" if machine.accelerator.manufacturer == "AWS" else "nvidia"


@cache
def root_device(os: str) -> str:
    """What the makers' images of an operating system call their root disk.

    Under another name a launch adds a second disk, and leaves the root disk as small as the image.
    """
    return next((r["device"] for r in records("root_devices", __file__) if r["os"] == os), "/dev/sda1")
