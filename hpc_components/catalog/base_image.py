from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.kernels import is_newer
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.pinned_image import day_in, newest_record


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseImage(ABC):
    """A public image, with everything in it that decides whether a node can work.

    Each cloud adds what it needs to name the image.
    """

    os: str
    """Operating system, e.g. `ubuntu-24.04`."""
    arch: Literal["x86_64", "arm64"]
    accelerator: str | None = None
    """Vendor (and generation) of the GPUs or other accelerators that the image includes a driver for."""
    models: Sequence[str] = ()
    """GPU models that the driver supports. Empty if the image has no driver, or if the driver's own requirements
    decide (see `open_modules`)."""
    open_modules: bool = False
    """Whether NVIDIA's driver consists of the open kernel modules, which don't support every GPU."""
    fabric: bool = False
    """Whether the image includes the drivers of the fast fabric."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions of installed software, keyed by name: `nvidia`, `rocm` or `neuron` (drivers), `cuda`, `lustre` (the
    client), and what belongs to the fabric, such as `ofed`."""
    lustre: bool = False
    """Whether the cloud's own example installs the Lustre client on this image, although its kernel is unknown."""
    kernel: str | None = None
    """Kernel series, e.g. `6.8`, or None if no source specifies it."""
    build: str | None = None
    """The kernel's full version, e.g. `6.8.0-1066-aws`, if a source specifies it."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    @abstractmethod
    def id(self) -> str:
        """The image as it is named in a description, or as nodes request it."""

    @property
    @abstractmethod
    def pin(self) -> str | None:
        """Version, release or serial number of the image, or None for whichever is newest at launch."""

    @property
    @abstractmethod
    def line(self) -> str:
        """The image's name without its version, which all versions of the image share."""

    @property
    def made(self) -> date | None:
        """Date of the image's content, or None if it is not pinned."""
        return day_in(self.pin) if self.pin else None

    @property
    def floating(self) -> bool:
        """Whether the image changes with each release, so that the same description may create different nodes."""
        return self.pin is None

    def drives(self, machine: Machine) -> bool:
        """Return whether the image's driver is known to support the machine's accelerator, if it has one."""
        if machine.accelerator is None:
            return True
        model = machine.accelerator.model
        if self.models:
            return model in self.models
        return self.accelerator is not None and not (self.open_modules and needs_proprietary_driver(model))


OLD_IMAGE_DAYS = 90
"""Age in days at which a public image is considered old. Publishers release a new image every month or quarter."""


def recent_version(images: Sequence[BaseImage], image: BaseImage) -> BaseImage | None:
    """Return the newest dated version of an image among `images`, or None if all of them are old.

    Age is measured at the date of the newest record.
    """
    dated = [(each.made, each) for each in images if each.line == image.line and each.made]
    made, newest = max(dated, key=lambda pair: pair[0], default=(None, None))
    known = newest_record(each.as_of for each in images)
    return newest if made and (known - made).days < OLD_IMAGE_DAYS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClient:
    """The client packages that a cloud publishes for an operating system. They contain a module for each kernel."""

    os: str
    version: str | None = None
    """Version of the client, e.g. `2.17.0`, or None if it differs by kernel."""
    kernel: str | None = None
    """Newest kernel series with a package, e.g. `6.17`, or None if unknown."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def lacks(self, kernel: str | None) -> bool:
        """Return whether a kernel series is known to be newer than every series with a package."""
        return kernel is not None and self.kernel is not None and is_newer(kernel, self.kernel)


@cache
def needs_proprietary_driver(model: str) -> bool:
    """Return whether a GPU model predates Turing, so that NVIDIA's open kernel modules don't support it."""
    return any(model in record["models"] for record in records("old_gpus"))
