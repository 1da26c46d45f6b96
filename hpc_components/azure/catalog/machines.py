"""Azure's machine types and their retirements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.azure.catalog.size_names import family
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, read_machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """Retirement of a family of machines."""

    family: str
    """Name of the family, such as `NCv3`."""
    on: str
    """Date, such as `2025-09-30`, on which machines are stopped and new ones become unavailable."""
    successor: str | None = None
    """A size from the family that Azure recommends instead."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def past(self) -> bool:
        """Whether the family was already retired when the record was written."""
        return self.on < self.as_of


def machines() -> Iterator[Machine]:
    """Yield the machine types that clusters usually use."""
    return read_machines("machines", __file__, family)


def other_machines() -> Iterator[Machine]:
    """Yield other general-purpose sizes, which are recorded in a separate file."""
    return read_machines("other_machines", __file__, family)


def type_names() -> frozenset[str]:
    """Return the names of all types, including those of retired families."""
    return frozenset(name for record in records("known_types", __file__) for name in record["sizes"])


def retirement(name: str) -> Retirement | None:
    """Return a type's past or announced retirement, or None if it is not being retired."""
    return _retirements().get(family(name))


def is_previous_generation(name: str) -> bool:
    """Return whether a type has a confirmed retirement, whether past or announced."""
    found = retirement(name)
    return found is not None and not found.unsure


@cache
def _retirements() -> dict[str, Retirement]:
    return {record["family"]: Retirement(**record) for record in records("retirements", __file__)}
