"""What the resources of a cluster can be called, decided in one place."""

import re
from functools import cache
from typing import Literal

from hpc_components.azure.catalog.limits import reserved_users, reserved_words, service_limit
from hpc_components.catalog._load import records
from hpc_components.catalog.name_form import NameForm

NameOf = Literal[
    "resource_group", "storage_account", "container", "key_vault", "secret", "virtual_machine", "computer_name",
    "computer_name_prefix", "scale_set", "availability_set", "disk", "virtual_network", "private_endpoint", "subnet",
    "security_group", "identity", "lustre", "netapp_account", "netapp_pool", "netapp_volume", "file_share",
    "workspace", "data_rule", "budget",
]  # fmt: skip
"""A kind of resource, or another thing with a name."""


def wrong_name(kind: NameOf, name: str) -> tuple[str, str] | None:
    """Reason and remedy where Azure would not take `name`; None if it would.

    Names unique in the world (storage accounts, vaults) may still be taken by somebody else.
    Source: Azure Resource Manager documentation, "Naming rules and restrictions for Azure resources".
    """
    return _forms()[kind].mistake(name)


def longest_name(kind: NameOf) -> int:
    """Most characters of a name."""
    return _forms()[kind].longest


def reserved_word(name: str) -> str | None:
    """The word of Azure's own because of which nothing with an address of its own can be called so; None if none is.

    Some words may be nowhere in a name, some not at its beginning; accounts drop the hyphens of a cluster's name.
    Source: Azure Resource Manager documentation, "Resolve errors for reserved resource names".
    """
    plain = name.lower().replace("-", "")
    if found := next((word for word in reserved_words("anywhere") if word in plain), None):
        return found
    return next((word for word in reserved_words("beginning") if plain.startswith(word)), None)


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Reason and remedy where Azure would not make an administrator's account of that name on a Linux machine.

    Source: Azure VM FAQ for Linux, "What are the username requirements when creating a VM?"; useradd(8).
    """
    most = service_limit("admin_user.length")
    if name.lower() in reserved_users():
        return f"Azure makes no account called {name!r}", "use another name, e.g. azureuser"
    if not re.fullmatch(rf"[a-z_][a-z0-9_-]{{0,{most - 1}}}", name):
        return (
            f"{name!r} can't be an account's name",
            f"use at most {most} small letters, digits, - and _, beginning with a letter, e.g. azureuser",
        )
    return None


@cache
def _forms() -> dict[str, NameForm]:
    return {record["kind"]: NameForm(**record) for record in records("names", __file__)}
