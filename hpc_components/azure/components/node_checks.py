"""Checks of the arguments of nodes on Azure."""

from functools import partial

from hpc_components import node_checks
from hpc_components.azure.catalog.disks import DiskOrder, disk_refusals
from hpc_components.azure.catalog.image_plans import plan_refusals
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.catalog.names import wrong_admin_user
from hpc_components.azure.catalog.ssh_keys import wrong_ssh_key
from hpc_components.azure.catalog.tag_names import clashing_tags, wrong_tag_name, wrong_tag_value
from hpc_components.azure.tags import Tags
from hpc_components.catalog.refusal import Refusal, Why

MAX_USER_DATA = 65535
"""Bytes of custom data before encoding. Source: Azure documentation, "Custom data and cloud-init"."""


Disk = node_checks.Disk[str]
"""A managed disk as it is ordered."""

check_machine = partial(
    node_checks.check_machine, cloud="azure", noun="a VM size of Azure", listed="Azure's list of VM sizes"
)
check_user_data = partial(node_checks.check_user_data, most=MAX_USER_DATA, service="Azure")


def check_image(path: str, image: str) -> None:
    """Refuse a text that names no image."""
    if image_reference(image) is None:
        raise ValueError(
            f"{path}: {image!r} is not an image; write publisher:offer:sku:version, or the id of a gallery's image"
        )


def check_image_plan(path: str, image: str, *, has_plan: bool) -> None:
    """Refuse a purchase plan with an image that has none, and an image without its purchase plan."""
    for refusal in plan_refusals(image, has_plan=has_plan):
        is_missing = refusal.why is Why.MISSING
        words = "is sold with a purchase plan; give it" if is_missing else "has no purchase plan; leave it out"
        raise ValueError(f"{path}: {image} {words}")


def check_admin(path: str, user: str, ssh_key: str | None) -> None:
    """Refuse an administrator's account that Azure does not create."""
    if wrong := wrong_admin_user(user):
        raise ValueError(f"{path}.admin_user: {user!r}: {wrong[0]}; {wrong[1]}")
    if ssh_key is not None and (wrong := wrong_ssh_key(ssh_key)):
        raise ValueError(f"{path}.ssh_key: {wrong[0]}; {wrong[1]}")


def check_tags(path: str, tags: Tags) -> None:
    """Refuse tags that not all resources of a cluster can have."""
    for key, value in tags.extra.items():
        if wrong := wrong_tag_name(key):
            raise ValueError(f"{path}.extra: {key!r}: {wrong[0]}; {wrong[1]}")
        if wrong := wrong_tag_value(value):
            raise ValueError(f"{path}.extra[{key!r}]: {wrong[0]}; {wrong[1]}")
    if clash := clashing_tags(dict(tags.extra)):
        raise ValueError(f"{path}.extra: {clash[0]!r} and {clash[1]!r} are duplicates for Azure; remove one")


def check_disk(path: str, disk: Disk, *, root: bool, zone: str | None = None) -> None:
    """Refuse a disk that Azure does not sell; `zone` is its zone as in `eastus-1`, if that is known."""
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
    """Return the reason and the remedy."""
    values = f"{refusal.allowed[0]} to {refusal.allowed[-1]}" if refusal.allowed else "another"
    if refusal.field == "type":
        return f"{disk.type!r} is not a kind of disk for that; use {', '.join(map(str, refusal.allowed))}"
    if refusal.field == "zone":
        return f"{disk.type} disks are always in a zone; give the node one, or use Premium_LRS"
    if refusal.why is Why.NOT_TAKEN:
        return f"{disk.type} does not take it; leave it out or use PremiumV2_LRS"
    return f"{disk.type} has {values}, not {getattr(disk, refusal.field)}"
