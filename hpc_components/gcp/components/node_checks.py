"""What Google Cloud would refuse of a node, found when its arguments are written."""

import re
from collections.abc import Iterable
from typing import Protocol

from hpc_components.catalog import close_names, is_known_type
from hpc_components.catalog import machine as catalog_machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.disks import DiskOrder, disk_refusals
from hpc_components.gcp.catalog.images import image_reference
from hpc_components.gcp.catalog.labels import label_key
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.components.machine_profile import disk_type
from hpc_components.gcp.spec.nodes import DiskType
from hpc_components.gcp.tags import Tags
from hpc_components.wording import any_of

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
    if image_reference(image) is None:
        raise ValueError(
            f"{path}: {image!r} is no image; write projects/<project>/global/images/<name>, or"
            " .../images/family/<name>"
        )


def check_user_data(path: str, text: str) -> None:
    """ValueError where `text` is longer than Google takes."""
    most = service_limit("metadata.value_bytes")
    if (size := len(text.encode())) > most:
        raise ValueError(f"{path}: {size} bytes; Google takes {most} at most. Put the rest in the config bucket")


def check_name(path: str, name: str, *, end: str = "") -> None:
    """ValueError where `name`, followed by `end`, can't be that of a resource of Compute Engine's."""
    if wrong := wrong_name("resource", name) or wrong_name("resource", name + end):
        raise ValueError(f"{path}: {wrong[0]}; {wrong[1]}")


def check_tags(path: str, tags: Tags) -> None:
    """ValueError where two tags are one label. What a label can't have is replaced otherwise."""
    seen: dict[str, str] = {}
    for key in tags.extra:
        if not key[:1].isalpha():
            raise ValueError(f"{path}.extra: {key!r} is no key of a label; begin it with a letter")
        if other := seen.get(label_key(key)):
            raise ValueError(f"{path}.extra: {other!r} and {key!r} are one label, {label_key(key)}; remove one")
        seen[label_key(key)] = key


def check_disk(path: str, disk: Disk, machine: str, *, root: bool) -> None:
    """ValueError where a machine type does not take such a disk."""
    kind = disk_type(disk.type, machine)
    order = DiskOrder(
        type=kind,
        root=root,
        size_gib=disk.size_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        machine=catalog_machine("gcp", machine),
    )
    for refusal in disk_refusals(order):
        raise ValueError(f"{path}.{refusal.field}: {_refused(disk, kind, machine, refusal)}")


def _refused(disk: Disk, kind: str, machine: str, refusal: Refusal) -> str:
    """What Google would refuse, and the remedy."""
    if refusal.field == "type":
        taken = any_of(map(str, refusal.allowed)) or "another kind"
        return f"{machine} takes no {kind} for that; use {taken}"
    if refusal.why is Why.NOT_TAKEN:
        return f"{kind} takes none; leave it out or use hyperdisk-balanced"
    return f"{kind} has {refusal.allowed[0]} to {refusal.allowed[-1]}, not {getattr(disk, refusal.field)}"


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
