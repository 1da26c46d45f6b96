"""What the resources of a cluster can be called, decided in one place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.azure.catalog.limits import reserved_users, reserved_words, service_limit
from hpc_components.catalog._load import records

__all__ = ["NameOf", "longest_name", "reserved_word", "wrong_admin_user", "wrong_name"]

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
    form = _forms()[kind]
    if not form.shortest <= len(name) <= form.longest:
        return f"{name!r} has {len(name)} characters", f"{form.title} has {form.shortest} to {form.longest}"
    if bad := re.search(f"[^{form.characters}]", name):
        reason = f"{form.title} can't have {bad[0]!r} in it"
    elif not re.match(f"[{form.first}]", name):
        reason = f"{form.title} can't begin with {name[0]!r}"
    elif not re.search(f"[{form.last}]$", name):
        reason = f"{form.title} can't end with {name[-1]!r}"
    elif form.single and form.single * 2 in name:
        reason = f"{form.title} can't have two {form.single} in a row"
    else:
        return None
    proposed = form.propose(name)
    return reason, f"use {form.says}" + (f": {proposed}" if proposed and not wrong_name(kind, proposed) else "")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How names of one kind are made; `characters`, `first` and `last` are the insides of character classes."""

    kind: str
    title: str
    shortest: int
    longest: int
    characters: str
    first: str
    last: str
    says: str
    single: str | None = None
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def propose(self, name: str) -> str:
        """The name without what is wrong with it, where something is left."""
        lower = name if re.fullmatch(f"[{self.characters}]", "A") else name.lower()
        filler = self.single or ("-" if re.fullmatch(f"[{self.characters}]", "-") else "")
        found = re.sub(f"[^{self.characters}]+", filler, lower)
        if self.single:
            found = re.sub(f"{re.escape(self.single)}+", self.single, found)
        found = re.sub(f"^[^{self.first}]+", "", found)
        return re.sub(f"[^{self.last}]+$", "", found)


@cache
def _forms() -> dict[str, _Form]:
    return {record["kind"]: _Form(**record) for record in records("names", __file__)}
