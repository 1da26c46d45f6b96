import re

_NAME = re.compile(r"Standard_([A-Z]+)(\d+)(?:-(\d+))?([a-z]*)((?:_(?!v\d+$)\w+?)*?)(?:_(v\d+))?$")
"""Groups: family, cores, cores in use, features, accelerator, version. Source: Azure documentation, "Azure virtual
machine sizes naming conventions"."""


def family(name: str) -> str:
    """Return the family of a size: `HBv4`, `HX`, `NDH100v5`, `NCv3`, `Dadsv6`.

    In the H and N series, features (`s`, `rs`) are the same for all sizes of a version and are therefore left out.
    """
    match = _NAME.match(name)
    if match is None:
        return name.removeprefix("Standard_")[:1] or name
    series, _, _, features, accelerator, version = match.groups()
    kept = "" if series[0] in "HN" else features
    return f"{series}{kept}{accelerator.replace('_', '')}{version or ''}"


def full_size(name: str) -> str:
    """Return the full size that a constrained size is based on.

    A constrained size has fewer cores at the same price: `Standard_HB176-96rs_v4` is based on `Standard_HB176rs_v4`.
    Any other size is returned unchanged.
    """
    return re.sub(r"(?<=\d)-\d+(?=[a-z])", "", name)


def short_name(name: str) -> str:
    """Return the name in lower case, without `Standard_` and with hyphens instead of underscores: `hb176-96rs-v4`."""
    return name.removeprefix("Standard_").lower().replace("_", "-")
