from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.azure.catalog.size_names import family
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, read_machines


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    family: str
    """Name of the family, such as `NCv3`."""
    on: str
    """Date on which running machines are stopped and from which new ones can't be created, such as `2025-09-30`."""
    successor: str | None = None
    """Machine type from the family that Azure recommends as the replacement."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def past(self) -> bool:
        """Whether the family was already retired when the record was written."""
        return self.on < self.as_of


def machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, family)


def other_machines() -> Iterator[Machine]:
    return read_machines("other_machines", __file__, family)


def type_names() -> frozenset[str]:
    return frozenset(name for record in records("known_types", __file__) for name in record["sizes"])


def retirement(name: str) -> Retirement | None:
    """Return a machine type's past or announced retirement, or None if no retirement is known."""
    return _retirements().get(family(name))


def is_previous_generation(name: str) -> bool:
    """Return whether the machine type has a confirmed retirement, past or announced."""
    found = retirement(name)
    return found is not None and not found.unsure


@cache
def _retirements() -> dict[str, Retirement]:
    return {record["family"]: Retirement(**record) for record in records("retirements", __file__)}
