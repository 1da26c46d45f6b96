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


def wrong_name(kind: NameOf, name: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if Azure does not accept `name`, otherwise None.

    A name that must be globally unique (such as a storage account or vault name) may still be taken.

    Source: Azure Resource Manager documentation, "Naming rules and restrictions for Azure resources".
    """
    return _forms()[kind].mistake(name)


def longest_name(kind: NameOf) -> int:
    return _forms()[kind].longest


def reserved_word(name: str) -> str | None:
    """Return the reserved word that rules out this name for a resource with a DNS address, or None if the name is
    allowed.

    Some words must not appear anywhere in a name, and others must not begin it. Hyphens are ignored, because they are
    dropped from storage account names.

    Source: Azure Resource Manager documentation, "Resolve errors for reserved resource names".
    """
    plain = name.lower().replace("-", "")
    if found := next((word for word in reserved_words("anywhere") if word in plain), None):
        return found
    return next((word for word in reserved_words("beginning") if plain.startswith(word)), None)


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if Azure does not accept this name for an administrator account on Linux.

    Source: Azure VM FAQ for Linux, "What are the username requirements when creating a VM?"; useradd(8).
    """
    most = service_limit("admin_user.length")
    if name.lower() in reserved_users():
        return f"Azure does not allow an account named {name!r}", "use another name, e.g. azureuser"
    if not re.fullmatch(rf"[a-z_][a-z0-9_-]{{0,{most - 1}}}", name):
        return (
            f"{name!r} is not a valid account name",
            f"use at most {most} lowercase letters, digits, - and _, beginning with a letter, e.g. azureuser",
        )
    return None


@cache
def _forms() -> dict[str, NameForm]:
    return {record["kind"]: NameForm(**record) for record in records("names", __file__)}
