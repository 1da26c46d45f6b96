from functools import partial

from hpc_components import node_checks
from hpc_components.azure.catalog.names import wrong_admin_user
from hpc_components.azure.catalog.ssh_keys import wrong_ssh_key
from hpc_components.azure.catalog.tag_names import clashing_tags, wrong_tag_name, wrong_tag_value
from hpc_components.azure.tags import Tags

MAX_USER_DATA = 65535
"""Maximum size of custom data, in bytes before encoding. Source: Azure documentation, "Custom data and
cloud-init"."""


check_machine = partial(
    node_checks.check_machine, cloud="azure", noun="an Azure VM size", listed="Azure's list of VM sizes"
)
check_user_data = partial(node_checks.check_user_data, most=MAX_USER_DATA, service="Azure")


def check_admin(path: str, user: str, ssh_key: str | None) -> None:
    """Raise ValueError if Azure would refuse the administrator's account or SSH key."""
    if wrong := wrong_admin_user(user):
        raise ValueError(f"{path}.admin_user: {user!r}: {wrong[0]}; {wrong[1]}")
    if ssh_key is not None and (wrong := wrong_ssh_key(ssh_key)):
        raise ValueError(f"{path}.ssh_key: {wrong[0]}; {wrong[1]}")


def check_tags(path: str, tags: Tags) -> None:
    """Raise ValueError if any of a cluster's resources can't have these tags."""
    for key, value in tags.extra.items():
        if wrong := wrong_tag_name(key):
            raise ValueError(f"{path}.extra: {key!r}: {wrong[0]}; {wrong[1]}")
        if wrong := wrong_tag_value(value):
            raise ValueError(f"{path}.extra[{key!r}]: {wrong[0]}; {wrong[1]}")
    if clash := clashing_tags(dict(tags.extra)):
        raise ValueError(
            f"{path}.extra: {clash[0]!r} and {clash[1]!r} differ only in case, which Azure ignores; remove one"
        )
