"""Names in the program that leave room for the random end that Pulumi gives to resources."""

import hashlib

from hpc_components.azure.catalog.zones import zone_number

__all__ = ["scale_set_end", "short_name"]

LONGEST_NAME = 56
"""Of a scale set or a private endpoint, with eight random characters to follow. Source: Azure Resource Manager
documentation, "Naming rules and restrictions for Azure resources": 64."""


def scale_set_end(machine: str, zone: str, region: str) -> str:
    """The end of a scale set's name: `hb176rs-v4-1`; `hb176rs-v4-r` in no zone."""
    size = machine.removeprefix("Standard_").lower().replace("_", "-")
    return f"{size}-{zone_number(zone, region) or 'r'}"


def short_name(of: str, end: str) -> str:
    """`<of>-<end>`, `cfd-compute-hb176rs-v4-1`; where that is too long, a shorter one that no other component has."""
    name = f"{of}-{end}"
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(of.encode()).hexdigest()[:4]
    return f"{of[: LONGEST_NAME - len(end) - len(digest) - 2].rstrip('-')}-{digest}-{end}"
