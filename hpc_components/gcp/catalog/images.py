"""Public images by operating system and machine, what they contain, and how images are named."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.base_image import BaseImage
from hpc_components.catalog.kernels import is_newer
from hpc_components.catalog.machine_type import Machine
from hpc_components.gcp.catalog.resource_ids import id_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(BaseImage):
    """The newest image of a public family, or one of its older releases."""

    accelerator: Literal["nvidia"] | None = None
    project: str
    family: str
    release: str | None = None
    """Name of an older release, for software that doesn't support the kernel of the newest image."""
    gib: int
    """Disk size of the image in GiB, which is the minimum size of a root disk."""

    @property
    def id(self) -> str:
        """Id of the release if one is specified, otherwise of the family, e.g.
        `projects/<project>/global/images/family/<family>`.
        """
        return f"projects/{self.project}/global/images/{self.release or f'family/{self.family}'}"

    @property
    def pin(self) -> str | None:
        return self.release

    @property
    def line(self) -> str:
        return f"{self.project}/{self.family}"


@cache
def images() -> tuple[Image, ...]:
    return tuple(Image(**record) for record in records("images", __file__))


def image_of(os: str, machine: Machine, kernel: str | None = None) -> Image | None:
    """Return the operating system's image for a machine, with the driver for its GPUs.

    `kernel` is the newest supported kernel series, e.g. `6.8`. If the newest image has a newer kernel, return an
    older release with the supported kernel instead, provided there is one. If no image is published, return None; the
    user must then specify an image.

    For a machine with Cloud RDMA, the image may lack the fabric's driver (see `has_fabric_driver`).
    """
    found = [image for image in images() if (image.os, image.arch) == (os, machine.arch)]
    if machine.accelerator is not None:
        found = [image for image in found if image.drives(machine)]
    else:
        found = [image for image in found if image.accelerator is None]
    newest = next((image for image in found if image.release is None), None)
    if newest is None or kernel is None or newest.kernel is None or not is_newer(newest.kernel, kernel):
        return newest
    return next((image for image in found if image.release and image.kernel == kernel), newest)


def release_with_lustre(os: str, machine: Machine) -> Image | None:
    model = machine.accelerator.model if machine.accelerator else ""
    return next((one for one in images() if one.os == os and one.lustre and model in one.models), None)


def has_fabric_driver(os: str, machine: Machine, image: str | None = None) -> bool:
    """Return whether `image`, or the default image, includes the driver for the machine's fast fabric.

    Unknown images are assumed to include the driver. For fabrics other than Cloud RDMA, every kernel includes it.
    Source: Cluster Toolkit 1.95.0, install_cloud_rdma_drivers.sh.
    """
    if machine.fabric is None or machine.fabric.kind != "cloud_rdma":
        return True
    found = public_image(image) if image else image_of(os, machine)
    return found is None or found.fabric


def has_image(os: str, machine: Machine) -> bool:
    return image_of(os, machine) is not None


def image_gib(os: str, machine: Machine | None = None) -> tuple[int, bool] | None:
    """Return the public image's size in GiB and whether the size is confirmed, or None if there is no image.

    If no machine is given, use the image without GPU drivers.
    """
    if machine is not None:
        found = image_of(os, machine)
    else:
        found = next((image for image in images() if image.os == os and image.accelerator is None), None)
    return (found.gib, "gib" not in found.unsure) if found else None


def image_reference(text: str) -> Mapping[str, str] | None:
    """Parse an image id into `project` and either `name` or `family`. Return None if the text is not an image id."""
    if parts := id_parts("image_family", text):
        return {"project": parts["project"], "family": parts["name"]}
    return id_parts("image", text)


def public_image(text: str) -> Image | None:
    """Return the catalogue's image for a family or version, or None for images that are not in the catalogue.

    For example, `ubuntu-2404-noble-amd64-v20260710` in project `ubuntu-os-cloud` is a version of the family
    `ubuntu-2404-lts-amd64`.
    """
    parts = image_reference(text)
    if parts is None:
        return None
    of_project = [image for image in images() if image.project == parts["project"]]
    if family := parts.get("family"):
        return next((image for image in of_project if image.family == family), None)
    if release := next((image for image in of_project if image.release == parts["name"]), None):
        return release
    return next((image for image in of_project if _is_version(parts["name"], image)), None)


def _is_version(name: str, image: Image) -> bool:
    """Return whether `name` is a version of the image's family.

    A version's name consists of the words of the family's name, with a code name instead of `lts`, and a date at the
    end.
    """
    words = [re.escape(word) if word != "lts" else "[a-z]+(?:-[a-z]+)?" for word in image.family.split("-")]
    arch = "" if image.arch == "arm64" or image.family.endswith("amd64") else "(?:-amd64)?"
    return re.fullmatch("-".join(words) + arch + r"-v20\d{6}[a-z0-9-]*", name) is not None
