"""What the resources of a cluster can be called, decided in one place."""

from typing import Literal

__all__ = ["NameOf", "longest_name", "wrong_admin_user", "wrong_name"]

NameOf = Literal[
    "resource_group", "storage_account", "container", "key_vault", "secret", "virtual_machine", "computer_name",
    "computer_name_prefix", "scale_set", "availability_set", "disk", "virtual_network", "subnet", "security_group",
    "identity", "lustre", "netapp_account", "netapp_pool", "netapp_volume", "file_share", "workspace", "data_rule",
    "budget",
]  # fmt: skip
"""A kind of resource, or another thing with a name."""


def wrong_name(kind: NameOf, name: str) -> tuple[str, str] | None:
    """Reason and remedy where Azure would not take `name`; None if it would.

    Names unique in the world (storage accounts, vaults) may still be taken by somebody else.
    Source: Azure Resource Manager documentation, "Naming rules and restrictions for Azure resources".
    """
    raise NotImplementedError


def longest_name(kind: NameOf) -> int:
    """Most characters of a name."""
    raise NotImplementedError


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Reason and remedy where Azure would not make an administrator's account of that name on a Linux machine.

    Source: Azure VM FAQ for Linux, "What are the username requirements when creating a VM?".
    """
    raise NotImplementedError
