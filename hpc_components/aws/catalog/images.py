"""Public SSM parameters that name images of operating systems, and the device names of their root disks."""

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
    """Kernel series of the image when it was last read; None if it was not read."""
    before: Mapping[str, str] | None = None
    """The last images with an older series: its `kernel`, and the `name` with which EC2 finds them."""
    unsure: Sequence[str] = ()

    @property
    def floating(self) -> bool:
        """Whether its value changes with each release, so that a description later creates different nodes."""
        return self.serial is None


@cache
def image_parameters() -> tuple[ImageParameter, ...]:
    """Return all parameters."""
    return tuple(ImageParameter(**record) for record in records("images", __file__))


def image_parameter(os: str, arch: str, accelerator: Driver | None = None) -> ImageParameter | None:
    """Return the parameter of the default image; None if AWS publishes no such image, so that the user must name one.

    `arch` is `x86_64` or `arm64`; with `accelerator`, the image contains its driver.
    """
    wanted = (os, arch, accelerator)
    return next((one for one in image_parameters() if (one.os, one.arch, one.accelerator) == wanted), None)


def has_image(os: str, machine: Machine) -> bool:
    """Return whether a public image of the operating system exists for a machine, with the driver that it needs."""
    return image_parameter(os, machine.arch, driver_for(machine)) is not None


def driver_for(machine: Machine) -> Driver | None:
    """Return the driver that an image for the machine must contain."""
    if machine.accelerator is None:
        return None
    return "neuron" if machine.accelerator.manufacturer == "AWS" else "nvidia"


@cache
def root_device(os: str) -> str:
    """Return the device name of the root disk in the public images of an operating system.

    With another name, a launch would add a second disk and leave the root disk as small as the image.
    """
    return next((r["device"] for r in records("root_devices", __file__) if r["os"] == os), "/dev/sda1")
