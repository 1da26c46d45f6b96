"""Names that must be unique in the world: those of storage accounts and Key Vaults."""

import hashlib
import re

from pulumi import Input, Output

__all__ = ["account_name", "vault_name"]

LONGEST = 24
"""Of both. Source: Azure Resource Manager documentation, "Naming rules and restrictions for Azure resources"."""

END = 8
"""Characters that tell two of the same beginning apart."""


def account_name(name: str, seed: Input[str]) -> Output[str]:
    """Name of a storage account: small letters and digits of `name`, and an end that follows from `seed` and `name`.

    Pulumi's own random ends don't do: what stands before them must be short, and have neither capitals nor hyphens.
    """
    return _named(re.sub("[^a-z0-9]", "", name.lower())[: LONGEST - END], name, seed)


def vault_name(name: str, seed: Input[str]) -> Output[str]:
    """Name of a Key Vault: the beginning of `name`, and an end that follows from `seed` and `name`.

    A deleted vault keeps its name for days or months, so the seed should be new each time, as the id of an identity.
    """
    return _named(re.sub("-+", "-", name)[: LONGEST - END - 1].rstrip("-") + "-", name, seed)


def _named(start: str, name: str, seed: Input[str]) -> Output[str]:
    return Output.from_input(seed).apply(lambda text: start + hashlib.sha256(f"{text}/{name}".encode()).hexdigest()[:END])
