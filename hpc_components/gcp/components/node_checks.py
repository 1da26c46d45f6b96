"""What Google Cloud would refuse of a node, found when its arguments are written."""

import re
from collections.abc import Iterable
from typing import Protocol

from hpc_components.catalog import close_names, is_known_type
from hpc_components.gcp.catalog.hosts import takes_persistent_disk
from hpc_components.gcp.catalog.labels import label_key
from hpc_components.gcp.components.machine_profile import disk_type
from hpc_components.gcp.spec.nodes import DiskType
from hpc_components.gcp.tags import Tags

__all__ = [
    "check_disk",
    "check_image",
    "check_machine",
    "check_name",
    "check_tags",
    "check_user_data",
    "region_of_zones",
]

MAX_USER_DATA = 262144
"""Bytes of the value of a metadata key. Source: Compute Engine documentation, "About VM metadata", limits."""

LONGEST_NAME = 63
"""Of a machine. Source: Compute Engine documentation, "Naming resources"."""

SMALLEST_DISK = 10
"""GiB. Source: Compute Engine documentation, "About Persistent Disk"; hyperdisks begin with 4."""

_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_IMAGE = re.compile(r"projects/[^/]+/global/images/(family/)?[^/]+")
_ZONE = re.compile(r"([a-z]+-[a-z]+\d+)-[a-z]")


class Disk(Protocol):
    """A disk as one orders it."""

    @property
    def size_gib(self) -> int:
        """Size in GiB."""
        ...

    @property
    def type(self) -> DiskType | None:
        """Kind of disk."""
        ...

    @property
    def iops(self) -> int | None:
        """Operations per second."""
        ...

    @property
    def throughput(self) -> int | None:
        """MiB/s."""
        ...


def check_machine(path: str, machine: str) -> None:
    """ValueError where `machine` is no machine type of Google's."""
    if not is_known_type("gcp", machine):
        near = ", ".join(close_names("gcp", machine))
        hint = f"did you mean {near}?" if near else "see `gcloud compute machine-types list`"
        raise ValueError(f"{path}: {machine!r} is no machine type of Google Cloud; {hint}")


def check_image(path: str, image: str) -> None:
    """ValueError where `image` names no image."""
    if not _IMAGE.fullmatch(image):
        raise ValueError(
            f"{path}: {image!r} is no image; write projects/<project>/global/images/<name>, or"
            " .../images/family/<name>"
        )


def check_user_data(path: str, text: str) -> None:
    """ValueError where `text` is longer than Google takes."""
    if (size := len(text.encode())) > MAX_USER_DATA:
        raise ValueError(
            f"{path}: {size} bytes; Google takes {MAX_USER_DATA} at most. Put the rest in the config bucket"
        )


def check_name(path: str, name: str, *, longest: int = LONGEST_NAME) -> None:
    """ValueError where `name` can't be that of a resource of Compute Engine's."""
    if not _NAME.fullmatch(name) or len(name) > longest:
        raise ValueError(
            f"{path}: {name!r} can't name a machine; begin with a small letter, go on with small letters, digits and"
            f" hyphens, {longest} characters at most"
        )


def check_tags(path: str, tags: Tags) -> None:
    """ValueError where two tags are one label. What a label can't have is replaced otherwise."""
    seen: dict[str, str] = {}
    for key in tags.extra:
        if not key[:1].isalpha():
            raise ValueError(f"{path}.extra: {key!r} is no key of a label; begin it with a letter")
        if other := seen.get(label_key(key)):
            raise ValueError(f"{path}.extra: {other!r} and {key!r} are one label, {label_key(key)}; remove one")
        seen[label_key(key)] = key


def check_disk(path: str, disk: Disk, machine: str) -> None:
    """ValueError where a machine type does not take such a disk."""
    if disk.size_gib < SMALLEST_DISK:
        raise ValueError(f"{path}.size_gib: {disk.size_gib} GiB; the smallest disk has {SMALLEST_DISK}")
    if disk.type is not None and disk.type.startswith("pd-") and not takes_persistent_disk(machine):
        raise ValueError(f"{path}.type: {machine} takes no Persistent Disk; use hyperdisk-balanced")
    for field in ("iops", "throughput"):
        value, kind = getattr(disk, field), disk_type(disk.type, machine)
        if value is not None and not kind.startswith("hyperdisk"):
            raise ValueError(f"{path}.{field}: {kind} takes none; use a hyperdisk, or leave {field} out")


def region_of_zones(path: str, zones: Iterable[str]) -> str:
    """The region of some zones. ValueError where one is no zone, there twice or in another region."""
    seen: list[str] = []
    region: str | None = None
    for index, zone in enumerate(zones):
        at = f"{path}[{index}]: {zone!r}"
        found = _ZONE.fullmatch(zone)
        if found is None:
            raise ValueError(f"{at} is no zone; write one like us-central1-a")
        if zone in seen:
            raise ValueError(f"{at} is there twice; remove one")
        if region is not None and found[1] != region:
            raise ValueError(f"{at} is not in {region}, where the other zones are; subnets are of one region")
        region = found[1]
        seen.append(zone)
    if region is None:
        raise ValueError(f"{path}: there is none; give at least one zone")
    return region
