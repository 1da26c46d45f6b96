"""What Azure would refuse of a node, found when its arguments are written."""

from typing import Protocol

from hpc_components.azure.catalog.disks import DiskOrder, disk_refusals
from hpc_components.azure.catalog.image_plans import plan_refusals
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.catalog.names import wrong_admin_user
from hpc_components.azure.catalog.ssh_keys import wrong_ssh_key
from hpc_components.azure.catalog.tag_names import clashing_tags, wrong_tag_name, wrong_tag_value
from hpc_components.azure.tags import Tags
from hpc_components.catalog import close_names, is_known_type
from hpc_components.catalog.refusal import Refusal, Why

MAX_USER_DATA = 65535
"""Bytes of custom data before encoding. Source: Azure documentation, "Custom data and cloud-init"."""


class Disk(Protocol):
    """A managed disk as one orders it."""

    @property
    def size_gib(self) -> int:
        """Size in GiB."""
        ...

    @property
    def type(self) -> str:
        """Kind of managed disk."""
        ...

    @property
    def iops(self) -> int | None:
        """Operations per second."""
        ...

    @property
    def throughput(self) -> int | None:
        """MB/s."""
        ...


def check_machine(path: str, machine: str) -> None:
    """ValueError where `machine` is no size of Azure's."""
    if not is_known_type("azure", machine):
        near = ", ".join(close_names("azure", machine))
        hint = f"did you mean {near}?" if near else "see Azure's list of VM sizes"
        raise ValueError(f"{path}: {machine!r} is no VM size of Azure; {hint}")


def check_image(path: str, image: str) -> None:
    """ValueError where `image` names no image."""
    if image_reference(image) is None:
        raise ValueError(
            f"{path}: {image!r} is no image; write publisher:offer:sku:version, or the id of an image of a gallery"
        )


def check_image_plan(path: str, image: str, *, has_plan: bool) -> None:
    """ValueError where Azure does not sell `image` with a purchase plan, or only with one."""
    for refusal in plan_refusals(image, has_plan=has_plan):
        is_missing = refusal.why is Why.MISSING
        words = "is sold with a purchase plan; give it" if is_missing else "has no purchase plan; leave it out"
        raise ValueError(f"{path}: {image} {words}")


def check_user_data(path: str, text: str) -> None:
    """ValueError where `text` is longer than Azure takes."""
    if (size := len(text.encode())) > MAX_USER_DATA:
        raise ValueError(
            f"{path}: {size} bytes; Azure takes {MAX_USER_DATA} at most. Put the rest in the config bucket"
        )


def check_admin(path: str, user: str, ssh_key: str | None) -> None:
    """ValueError where Azure would not make the administrator's account."""
    if wrong := wrong_admin_user(user):
        raise ValueError(f"{path}.admin_user: {user!r}: {wrong[0]}; {wrong[1]}")
    if ssh_key is not None and (wrong := wrong_ssh_key(ssh_key)):
        raise ValueError(f"{path}.ssh_key: {wrong[0]}; {wrong[1]}")


def check_tags(path: str, tags: Tags) -> None:
    """ValueError where not all of a cluster's resources can have these tags."""
    for key, value in tags.extra.items():
        if wrong := wrong_tag_name(key):
            raise ValueError(f"{path}.extra: {key!r}: {wrong[0]}; {wrong[1]}")
        if wrong := wrong_tag_value(value):
            raise ValueError(f"{path}.extra[{key!r}]: {wrong[0]}; {wrong[1]}")
    if clash := clashing_tags(dict(tags.extra)):
        raise ValueError(f"{path}.extra: {clash[0]!r} and {clash[1]!r} are one to Azure; remove one")


def check_disk(path: str, disk: Disk, *, root: bool, zone: str | None = None) -> None:
    """ValueError where Azure does not sell such a disk; `zone` is its zone as in `eastus-1`, if that is known."""
    order = DiskOrder(
        type=disk.type,
        root=root,
        size_gib=disk.size_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        zone=zone,
    )
    for refusal in disk_refusals(order):
        raise ValueError(f"{path}.{refusal.field}: {_refused(disk, refusal)}")


def _refused(disk: Disk, refusal: Refusal) -> str:
    """What Azure would refuse, and the remedy."""
    values = f"{refusal.allowed[0]} to {refusal.allowed[-1]}" if refusal.allowed else "another"
    if refusal.field == "type":
        return f"{disk.type!r} is no kind of disk for that; use {', '.join(map(str, refusal.allowed))}"
    if refusal.field == "zone":
        return f"{disk.type} disks are in a zone only; give the node one, or use Premium_LRS"
    if refusal.why is Why.NOT_TAKEN:
        return f"{disk.type} takes none; leave it out or use PremiumV2_LRS"
    return f"{disk.type} has {values}, not {getattr(disk, refusal.field)}"
