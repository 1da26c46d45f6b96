from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingSystem:
    """An operating system.

    A `retired` system no longer receives fixes. An `unsupported` system still does, but nodes can't be set up with
    it. With an `untested` system they can, but no test has booted it. `end_of_life` is a day or a month. `aliases`
    are names that other tools use for the system.
    """

    name: str
    title: str
    status: Literal["default", "supported", "untested", "unsupported", "retired"]
    end_of_life: str
    aliases: Sequence[str]
    family: Literal["debian", "redhat"] | None = None
    """Which steps of a node's boot know the system, or None if none do."""
    python: str = "/usr/bin/python3"
    """Path of Python 3.10 or newer, which the nodes' programs need."""
    source: str
    as_of: str
    notes: str = ""
    unsure: Sequence[str] = ()


@cache
def operating_systems() -> tuple[OperatingSystem, ...]:
    """Return all operating systems, the default first."""
    return tuple(OperatingSystem(**record) for record in records("operating_systems"))


def operating_system(name: str) -> OperatingSystem | None:
    """Return the operating system with this name or alias (e.g. `alinux2`), or None if it is unknown."""
    return next((known for known in operating_systems() if name in (known.name, *known.aliases)), None)
