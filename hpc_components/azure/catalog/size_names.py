"""What the name of a machine type says: `Standard_HB176-96rs_v4`."""

import re

_NAME = re.compile(r"Standard_([A-Z]+)(\d+)(?:-(\d+))?([a-z]*)((?:_(?!v\d+$)\w+?)*?)(?:_(v\d+))?$")
"""Family, cores, cores in use, features, accelerator, version. Source: Azure documentation, "Azure virtual machine
sizes naming conventions"."""


def family(name: str) -> str:
    """The name that all sizes of one kind share: `HBv4`, `HX`, `NDH100v5`, `NCv3`, `Dadsv6`.

    Features (`s`, `rs`) are no part of it where they are the same for all sizes of a version: in H and N series.
    """
    match = _NAME.match(name)
    if match is None:
        return name.removeprefix("Standard_")[:1] or name
    series, _, _, features, accelerator, version = match.groups()
    kept = "" if series[0] in "HN" else features
    return f"{series}{kept}{accelerator.replace('_', '')}{version or ''}"


def full_size(name: str) -> str:
    """The size of which this one has fewer cores at the same price; itself if it is no such size.

    As in `Standard_HB176rs_v4` of `Standard_HB176-96rs_v4`.
    """
    return re.sub(r"(?<=\d)-\d+(?=[a-z])", "", name)


def short_name(name: str) -> str:
    """The name without what all have in common, in lower case and with - for _, as in `hb176-96rs-v4`."""
    return name.removeprefix("Standard_").lower().replace("_", "-")
