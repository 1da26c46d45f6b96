"""Operating systems, and the public parameters under which AWS publishes their images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records

__all__ = ["ImageParameter", "OperatingSystem", "image_parameter", "operating_system", "operating_systems"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingSystem:
    """One operating system: `retired` ones get no fixes, `unsupported` ones are alive but not tried here.

    `end_of_life` is a day or month; `aliases` are the names that AWS ParallelCluster uses; `root_device` is what its
    makers' EC2 images call their root disk: under another name a launch adds a second disk and leaves that one small.
    """

    name: str
    title: str
    status: Literal["default", "supported", "unsupported", "retired"]
    end_of_life: str
    aliases: Sequence[str]
    source: str
    as_of: str
    root_device: str = "/dev/sda1"
    notes: str = ""
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageParameter:
    """A public Systems Manager parameter whose value is an image id in every region."""

    os: str
    arch: str
    accelerator: Literal["nvidia", "neuron"] | None
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


def operating_systems() -> tuple[OperatingSystem, ...]:
    """All operating systems, the default first."""
    return tuple(OperatingSystem(**record) for record in records("operating_systems"))


def operating_system(name: str) -> OperatingSystem | None:
    """The operating system of that name or alias (`alinux2`), or None for one that we know nothing of."""
    return next((known for known in operating_systems() if name in (known.name, *known.aliases)), None)


@cache
def image_parameter(
    os: str, arch: str, accelerator: Literal["nvidia", "neuron"] | None = None
) -> ImageParameter | None:
    """Where AWS publishes the default image, or None when nobody does: then the user must name an image.

    `arch` is `x86_64` or `arm64`; `accelerator` asks for an image that brings its driver.
    """
    wanted = {"os": os, "arch": arch, "accelerator": accelerator}
    return next((ImageParameter(**r) for r in records("aws_images") if r.items() >= wanted.items()), None)
