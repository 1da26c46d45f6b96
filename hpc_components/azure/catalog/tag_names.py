"""Which tag names and values Azure accepts."""

import re
from collections.abc import Iterable

from hpc_components.azure.catalog.limits import reserved_tag_beginning, service_limit

_REFUSED = re.compile(r"[<>%&\\?/]|[^\x20-\x7e]")
"""Characters that Azure refuses, and those that aren't safe because nodes read their tags as plain ASCII text."""


def wrong_tag_name(name: str) -> tuple[str, str] | None:
    """Return reason and remedy if some resources of a cluster can't have a tag with this name.

    Storage accounts allow 128 characters, other resources 512.

    Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations; REST API
    reference, Tags - Create Or Update At Scope, for reserved prefixes.
    """
    most = service_limit("tags.name_length")
    if not 0 < len(name) <= most:
        return f"{name!r} has {len(name)} characters", f"a tag's name has 1 to {most}, because of storage accounts"
    if bad := _REFUSED.search(name):
        return f"a tag's name can't contain {bad[0]!r}", f"replace it: {_REFUSED.sub('-', name)}"
    if name != name.strip():
        return f"{name!r} begins or ends with a space", f"remove it: {name.strip()}"
    if kept := reserved_tag_beginning(name):
        return f"Azure reserves names that begin with {kept!r}", "use another name"
    return None


def wrong_tag_value(value: str) -> tuple[str, str] | None:
    """Return reason and remedy if a tag can't have this value. Source: see `wrong_tag_name`."""
    most = service_limit("tags.value_length")
    if len(value) > most:
        return f"the value has {len(value)} characters", f"a tag's value has at most {most}"
    return None


def clashing_tags(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two names that differ only in case, which Azure ignores, or None if no names clash."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            return seen[name.lower()], name
        seen[name.lower()] = name
    return None


def most_tags() -> int:
    """Return the maximum number of tags that every resource of a cluster can have."""
    return service_limit("tags.per_resource")
