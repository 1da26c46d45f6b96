"""Names in the program that leave room for the random end that Pulumi gives to resources."""

import hashlib
from collections.abc import Callable

import pulumi

from hpc_components.azure.catalog.zones import zone_number

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


def former_names(opts: pulumi.ResourceOptions | None, stem: Callable[[str], str]) -> pulumi.ResourceOptions:
    """Aliases of a child called `stem(<name of the component>)`, from those in the component's `opts`.

    Pulumi follows a renamed component to children whose names begin with its own; with another one, what holds data
    would be deleted and made anew.
    """
    said = (opts.aliases if opts else None) or ()
    names = [each.rpartition("::")[2] if isinstance(each, str) else getattr(each, "name", None) for each in said]
    return pulumi.ResourceOptions(aliases=[pulumi.Alias(name=stem(name)) for name in names if isinstance(name, str)])
