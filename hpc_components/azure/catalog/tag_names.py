import re
from collections.abc import Iterable

from hpc_components.azure.catalog.limits import reserved_tag_beginning, service_limit

_REFUSED = re.compile(r"[<>%&\\?/]|[^\x20-\x7e]")
"""Matches characters that Azure refuses. Also matches everything except printable ASCII, because nodes read tags as
ASCII text."""


def wrong_tag_name(name: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if any of a cluster's resources can't have a tag with this name.

    Storage accounts allow 128 characters, other resources 512.

    Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations; REST API
    reference, Tags - Create Or Update At Scope, for reserved prefixes.
    """
    most = service_limit("tags.name_length")
    if not 0 < len(name) <= most:
        return (
            f"tag name {name!r} has {len(name)} characters",
            f"use 1 to {most} characters, which is the limit for storage accounts",
        )
    if bad := _REFUSED.search(name):
        return f"a tag name can't contain {bad[0]!r}", f"replace it: {_REFUSED.sub('-', name)}"
    if name != name.strip():
        return f"tag name {name!r} begins or ends with a space", f"remove it: {name.strip()}"
    if kept := reserved_tag_beginning(name):
        return f"Azure reserves tag names that begin with {kept!r}", "use another name"
    return None


def wrong_tag_value(value: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if a tag can't have this value. Source: see `wrong_tag_name`."""
    most = service_limit("tags.value_length")
    if len(value) > most:
        return f"the tag value has {len(value)} characters", f"use at most {most} characters"
    return None


def clashing_tags(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two tag names that differ only in case, or None if all names are distinct. Azure ignores the case of
    tag names.
    """
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            return seen[name.lower()], name
        seen[name.lower()] = name
    return None


def most_tags() -> int:
    return service_limit("tags.per_resource")
