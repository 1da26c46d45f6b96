"""Public images of operating systems, by machine, and what is in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hpc_components.catalog.machine_type import Machine

__all__ = ["Image", "Software", "image_of", "image_reference", "images"]

Software = Literal["ofed", "hpcx", "lustre", "nvidia", "rocm", "nvme_raid"]
"""Software that an image may bring: InfiniBand drivers, NVIDIA's MPI, a Lustre client, drivers of GPUs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One public image in one version."""

    os: str
    """As in `ubuntu-24.04`."""
    arch: Literal["x86_64", "arm64"]
    publisher: str
    offer: str
    sku: str
    version: str
    """As in `24.04.202607140`."""
    accelerator: Literal["nvidia", "amd"] | None = None
    """The GPUs whose driver it brings."""
    fabric: bool = False
    """Whether it brings drivers of InfiniBand."""
    software: Mapping[str, str] = field(default_factory=dict)
    """What it brings, by `Software`, with the version."""
    kernel: str | None = None
    """Its series of kernels (`6.8`); None where no source says so."""
    gib: int | None = None
    """Size of its disk, below which no root disk can be."""
    plan: bool = False
    """Whether its terms must be accepted, and a purchase plan given."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def urn(self) -> str:
        """`publisher:offer:sku:version`."""
        return f"{self.publisher}:{self.offer}:{self.sku}:{self.version}"

    @property
    def floating(self) -> bool:
        """Whether the version is `latest`, so that the same description makes other nodes next month."""
        return self.version == "latest"


def images() -> tuple[Image, ...]:
    """All images."""
    raise NotImplementedError


def image_of(os: str, machine: Machine) -> Image | None:
    """The image for an operating system on a machine: one with what its fabric and GPUs need, where there is one.

    None where nobody publishes one: then the user must name an image. A machine with a fabric gets an image without
    its drivers if there is no other (`image.fabric` is false: Debian).
    """
    raise NotImplementedError


def image_reference(text: str) -> dict[str, str] | None:
    """What Resource Manager calls an image, `{"publisher": ..., "offer": ..., "sku": ..., "version": ...}` of a URN
    or `{"id": ...}` of an id (managed image, gallery image or its version); None if the text is neither."""
    raise NotImplementedError
