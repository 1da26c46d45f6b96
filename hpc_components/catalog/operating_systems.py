"""The operating systems of nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingSystem:
    """One operating system. A `retired` one gets no more fixes; an `unsupported` one does, but is not tested here.

    `end_of_life` is a day or a month; `aliases` are other tools' names for it.
    """

    name: str
    title: str
    status: Literal["default", "supported", "unsupported", "retired"]
    end_of_life: str
    aliases: Sequence[str]
    source: str
    as_of: str
    notes: str = ""
    unsure: Sequence[str] = ()


@cache
def operating_systems() -> tuple[OperatingSystem, ...]:
    """Return all operating systems, the default first."""
    return tuple(OperatingSystem(**record) for record in records("operating_systems"))


def operating_system(name: str) -> OperatingSystem | None:
    """Return the operating system of that name or alias (`alinux2`), or None for an unknown one."""
    return next((known for known in operating_systems() if name in (known.name, *known.aliases)), None)
