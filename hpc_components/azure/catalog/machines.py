"""Azure's machine types, and which of them are retired."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.azure.catalog.size_names import family
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, read_machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """When Azure ends a family of machines."""

    family: str
    """As in `NCv3`."""
    on: str
    """Day, as in `2025-09-30`: machines are stopped, and no new ones can be made."""
    successor: str | None = None
    """A size of what Azure proposes instead."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def past(self) -> bool:
        """Whether that day was over when the record was made: nothing of it can be bought any more."""
        return self.on < self.as_of


def machines() -> Iterator[Machine]:
    """The types that clusters are usually made of."""
    return read_machines("machines", __file__, family)


def other_machines() -> Iterator[Machine]:
    """Other sizes for general use, in a file of their own."""
    return read_machines("other_machines", __file__, family)


def type_names() -> frozenset[str]:
    """The names of all types, those of retired families too."""
    return frozenset(name for record in records("known_types", __file__) for name in record["sizes"])


def retirement(name: str) -> Retirement | None:
    """The retirement of a type that is past or announced; None if there is none."""
    return _retirements().get(family(name))


def is_previous_generation(name: str) -> bool:
    """Whether Azure has retired the type or says when it will, and nothing puts that in doubt."""
    found = retirement(name)
    return found is not None and not found.unsure


@cache
def _retirements() -> dict[str, Retirement]:
    return {record["family"]: Retirement(**record) for record in records("retirements", __file__)}
