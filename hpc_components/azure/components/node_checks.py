"""Checks of the arguments of nodes on Azure."""

from functools import partial

from hpc_components import node_checks
from hpc_components.azure.catalog.image_plans import plan_refusals
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.catalog.names import wrong_admin_user
from hpc_components.azure.catalog.ssh_keys import wrong_ssh_key
from hpc_components.azure.catalog.tag_names import clashing_tags, wrong_tag_name, wrong_tag_value
from hpc_components.azure.tags import Tags
from hpc_components.catalog.refusal import Why

MAX_USER_DATA = 65535
"""Bytes of custom data before encoding. Source: Azure documentation, "Custom data and cloud-init"."""


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
