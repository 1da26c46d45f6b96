"""Finds the public image for a machine and an operating system, and checks images that users name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.kernels import is_newer
from hpc_components.catalog.level import Level
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.gcp.catalog.resource_ids import id_parts

_SYSTEM = Limit(
    id="HPC-OSI-016",
    title="A public image has the machine's architecture, and the described operating system",
    source='the catalogue\'s images; Compute Engine documentation, "Operating system details"',
)
_DRIVER = Limit(
    id="HPC-OSI-017",
    title="A public image for a machine with GPUs has their driver",
    source='the catalogue\'s images; Compute Engine documentation, "Accelerator-optimized images"',
)

LIMITS = (_SYSTEM, _DRIVER)

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """The newest image of a public family, or one of its older releases."""

    os: str
    """Operating system, e.g. `ubuntu-24.04`."""
    arch: Literal["x86_64", "arm64"]
    project: str
    family: str
    release: str | None = None
    """Name of an older release, for software that does not support the newest image's kernel."""
    accelerator: Literal["nvidia"] | None = None
    """Vendor of the GPUs for which the image has a driver."""
    models: Sequence[str] = ()
    """GPU models that the driver supports."""
    fabric: bool = False
    """Whether the image has the driver for Cloud RDMA cards."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions of installed software by name, e.g. `nvidia` for the driver."""
    kernel: str | None = None
    """Kernel series, e.g. `6.8`, or None if no source names it."""
    lustre: bool = False
    """Whether Google itself installs its Lustre client on this release."""
    gib: int
    """Size of the image's disk in GiB, which is the minimum size of a root disk."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def id(self) -> str:
        """Id of the release, or of the family, e.g. `projects/<project>/global/images/family/<family>`."""
        return f"projects/{self.project}/global/images/{self.release or f'family/{self.family}'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOrder:
    """An image that the user names for nodes of one machine type."""

    image: str
    """Id of the image."""
    os: str
    """The operating system in the description."""
    machine: Machine


def refusals(order: ImageOrder) -> Iterator[Refusal]:
    """Yield the reasons why nodes would not work with an image. Images that the catalogue lacks are not checked."""
    found, machine = public_image(order.image), order.machine
    if found is None:
        return
    default = image_of(order.os, machine)
    advice = f"the default is {default.id}" if default else "or name another image"
    if found.arch != machine.arch:
        reason = f"{order.image} has {found.arch}, and {machine.name} is {machine.arch}"
        yield _SYSTEM.refuse("image", reason=reason, changes={"image": None}, advice=advice, conflicts_with="machine")
    if found.os != order.os:
        reason = f"{order.image} has {found.os}, and the cluster's system is {order.os}"
        yield _SYSTEM.refuse("image", reason=reason, changes={"image": None}, advice=advice, conflicts_with="os")
    model = machine.accelerator.model if machine.accelerator else None
    if model is not None and model not in found.models:
        able = [each.id for each in images() if each.os == order.os and model in each.models]
        yield _DRIVER.refuse(
            "image",
            reason=f"{order.image} has no driver for the {model} of {machine.name}",
            changes={"image": able[0]} if able else {},
            alternative={"image": able[1]} if able[1:] else {},
            advice="" if able else "use a custom image",
            conflicts_with="machine",
            level=Level.WARNING if found.accelerator and "models" in found.unsure else None,
        )


@cache
def images() -> tuple[Image, ...]:
    """Return all images in the catalogue."""
    return tuple(Image(**record) for record in _records("image"))


def image_of(os: str, machine: Machine, kernel: str | None = None) -> Image | None:
    """Return an operating system's image for a machine, with the driver for its GPUs.

    `kernel` is the newest kernel series that is supported, e.g. `6.8`. If the newest image's kernel is newer, return
    an older release with that kernel, if there is one. Return None if no image is published; the user must then name
    one. For a machine with Cloud RDMA, the image is a plain one without the fabric's driver (see
    `has_fabric_driver`).
    """
    found = [image for image in images() if (image.os, image.arch) == (os, machine.arch)]
    if machine.accelerator is not None:
        found = [image for image in found if machine.accelerator.model in image.models]
    else:
        found = [image for image in found if image.accelerator is None]
    newest = next((image for image in found if image.release is None), None)
    if newest is None or kernel is None or newest.kernel is None or not is_newer(newest.kernel, kernel):
        return newest
    return next((image for image in found if image.release and image.kernel == kernel), newest)


def release_with_lustre(os: str, machine: Machine) -> Image | None:
    """Return a release, for a machine with GPUs, on which Google itself installs the Lustre client, or None."""
    model = machine.accelerator.model if machine.accelerator else ""
    return next((one for one in images() if one.os == os and one.lustre and model in one.models), None)


def has_fabric_driver(os: str, machine: Machine, image: str | None = None) -> bool:
    """Return whether the given or default image has the driver for a machine's fast fabric.

    Unknown images are assumed to have it. For fabrics other than Cloud RDMA, every kernel has the driver. Source:
    Cluster Toolkit 1.95.0, install_cloud_rdma_drivers.sh.
    """
    if machine.fabric is None or machine.fabric.kind != "cloud_rdma":
        return True
    found = public_image(image) if image else image_of(os, machine)
    return found is None or found.fabric


def has_image(os: str, machine: Machine) -> bool:
    """Return whether there is a public image of the operating system for a machine, with the driver for its GPUs."""
    return image_of(os, machine) is not None


def image_gib(os: str, machine: Machine | None = None) -> tuple[int, bool] | None:
    """Return the public image's size in GiB and whether it is confirmed, or None if there is no image.

    If no machine is given, use the image without GPU drivers.
    """
    if machine is not None:
        found = image_of(os, machine)
    else:
        found = next((image for image in images() if image.os == os and image.accelerator is None), None)
    return (found.gib, "gib" not in found.unsure) if found else None


def image_reference(text: str) -> Mapping[str, str] | None:
    """Return an image id's `project`, and its `name` or `family`, or None if the text is not an image id."""
    if parts := id_parts("image_family", text):
        return {"project": parts["project"], "family": parts["name"]}
    return id_parts("image", text)


def public_image(text: str) -> Image | None:
    """Return the catalogue's image that `text` names by family or version, or None for other images.

    For example, `ubuntu-2404-noble-amd64-v20260710` of ubuntu-os-cloud is a version of `ubuntu-2404-lts-amd64`.
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
    """Return whether a name is a version of the image's family.

    A version's name has the same words as the family's, but a code name instead of `lts`, and ends with a date.
    """
    words = [re.escape(word) if word != "lts" else "[a-z]+(?:-[a-z]+)?" for word in image.family.split("-")]
    arch = "" if image.arch == "arm64" or image.family.endswith("amd64") else "(?:-amd64)?"
    return re.fullmatch("-".join(words) + arch + r"-v20\d{6}[a-z0-9-]*", name) is not None
