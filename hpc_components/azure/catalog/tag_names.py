"""What Azure allows of tags, decided in one place."""

import re
from collections.abc import Iterable

from hpc_components.azure.catalog.limits import reserved_tag_beginning, service_limit

_REFUSED = re.compile(r"[<>%&\\?/]|[^\x20-\x7e]")
"""Azure refuses the first seven; a node reads its own tags from the metadata, where only plain text is safe."""


def wrong_tag_name(name: str) -> tuple[str, str] | None:
    """Reason and remedy where not all of a cluster's resources can have a tag of that name.

    Storage accounts take the shortest names, 128 characters, others 512.
    Source: Azure Resource Manager documentation, "Use tags to organize your Azure resources", limitations; REST API
    reference, Tags - Create Or Update At Scope, for the beginnings that Azure keeps.
    """
    most = service_limit("tags.name_length")
    if not 0 < len(name) <= most:
        return f"{name!r} has {len(name)} characters", f"a tag's name has 1 to {most}, because of storage accounts"
    if bad := _REFUSED.search(name):
        return f"a tag's name can't have {bad[0]!r} in it", f"leave it out: {_REFUSED.sub('-', name)}"
    if name != name.strip():
        return f"{name!r} begins or ends with a space", f"leave it out: {name.strip()}"
    if kept := reserved_tag_beginning(name):
        return f"Azure keeps names that begin with {kept!r} for itself", "use another name"
    return None


def wrong_tag_value(value: str) -> tuple[str, str] | None:
    """Reason and remedy where no tag can have that value. Source: as for `wrong_tag_name`."""
    most = service_limit("tags.value_length")
    if len(value) > most:
        return f"the value has {len(value)} characters", f"a tag's value has at most {most}"
    return None


def clashing_tags(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that are one to Azure, which compares them without case; None if there are none."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            return seen[name.lower()], name
        seen[name.lower()] = name
    return None


def most_tags() -> int:
    """Most tags of one resource that all of a cluster's resources can have."""
    return service_limit("tags.per_resource")
