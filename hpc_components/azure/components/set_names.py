"""How scale sets and availability sets are called."""

import hashlib

from hpc_components.azure.catalog.zones import zone_number

__all__ = ["scale_set_end", "scale_set_name"]

LONGEST_NAME = 56
"""Of a scale set, with eight random characters to follow. Source: Azure Resource Manager documentation, "Naming rules
and restrictions for Azure resources": 64."""


def scale_set_end(machine: str, zone: str, region: str) -> str:
    """The end of a scale set's name: `hb176rs-v4-1`; `hb176rs-v4-r` in no zone."""
    size = machine.removeprefix("Standard_").lower().replace("_", "-")
    return f"{size}-{zone_number(zone, region) or 'r'}"


def scale_set_name(fleet: str, end: str) -> str:
    """`cfd-compute-hb176rs-v4-1`; where that is too long, a shorter one that no other fleet has."""
    name = f"{fleet}-{end}"
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(fleet.encode()).hexdigest()[:4]
    return f"{fleet[: LONGEST_NAME - len(end) - len(digest) - 2].rstrip('-')}-{digest}-{end}"
