"""Resource names that are short enough for the random suffix that Pulumi appends."""

import hashlib
from collections.abc import Callable

import pulumi

from hpc_components.azure.catalog.zones import zone_number

MAX_NAME_LENGTH = 56
"""Maximum length of a scale set's or private endpoint's name, not counting the eight random characters. Source: Azure
Resource Manager documentation, "Naming rules and restrictions for Azure resources": 64 in total."""


def scale_set_end(machine: str, zone: str, region: str) -> str:
    """Return the suffix of a scale set's name, such as `hb176rs-v4-1`, or `hb176rs-v4-r` if the machines have no
    zone.
    """
    size = machine.removeprefix("Standard_").lower().replace("_", "-")
    return f"{size}-{zone_number(zone, region) or 'r'}"


def short_name(of: str, end: str) -> str:
    """Return `<of>-<end>` (`cfd-compute-hb176rs-v4-1`), or a shorter unique name if this name is too long."""
    name = f"{of}-{end}"
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.sha256(of.encode()).hexdigest()[:4]
    return f"{of[: MAX_NAME_LENGTH - len(end) - len(digest) - 2].rstrip('-')}-{digest}-{end}"


def former_names(opts: pulumi.ResourceOptions | None, stem: Callable[[str], str]) -> pulumi.ResourceOptions:
    """Return resource options with aliases for a child, derived from the aliases in its component's `opts`.

    The child is named `stem(<component name>)`. When a component is renamed, Pulumi derives aliases only for children
    whose names begin with the component's name. Any other child needs an explicit alias, or Pulumi would replace the
    child and lose its data.
    """
    said = (opts.aliases if opts else None) or ()
    names = [each.rpartition("::")[2] if isinstance(each, str) else getattr(each, "name", None) for each in said]
    return pulumi.ResourceOptions(aliases=[pulumi.Alias(name=stem(name)) for name in names if isinstance(name, str)])
