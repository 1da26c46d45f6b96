from collections.abc import Iterable

from hpc_components.preview.recording import RecordedResource
from hpc_components.preview.resources import Resource


def refuse(what: str, offenders: Iterable[str]) -> None:
    """Raise AssertionError with a line for each offender, if there are any."""
    lines = list(offenders)
    if lines:
        raise AssertionError("\n  - ".join([f"{what} ({len(lines)}):", *lines]))


def shown(resource: RecordedResource | Resource) -> str:
    """Describe a resource in a message, e.g. `Subnet 'net-a' of 'net'`."""
    owner = f" of {resource.parent.rpartition('::')[2]!r}" if resource.parent else ""
    return f"{resource.type.rpartition(':')[2]} {resource.name!r}{owner}"
