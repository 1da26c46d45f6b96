"""Azure's machine types, and which of them are retired."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.catalog.machine_type import Machine

__all__ = [
    "Retirement", "full_size", "is_previous_generation", "machines", "other_machines", "retirement", "type_names"
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """When Azure ends a family of machines."""

    family: str
    """As in `NCv3`."""
    on: str
    """Day, as in `2025-09-30`: machines are stopped, and no new ones can be made."""
    successor: str | None = None
    """What Azure proposes instead, as a size's name."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    @property
    def past(self) -> bool:
        """Whether that day was over when the record was made: nothing of it can be bought any more."""
        return self.on < self.as_of


def machines() -> Iterator[Machine]:
    """The types that clusters are usually made of."""
    raise NotImplementedError


def other_machines() -> Iterator[Machine]:
    """Other sizes for general use, in a file of their own."""
    raise NotImplementedError


def type_names() -> frozenset[str]:
    """The names of all types, retired ones too."""
    raise NotImplementedError


def retirement(name: str) -> Retirement | None:
    """The retirement of a type that is past or announced; None if there is none."""
    raise NotImplementedError


def is_previous_generation(name: str) -> bool:
    """Whether Azure has retired the type or says when it will, and nothing puts that in doubt."""
    raise NotImplementedError


def full_size(name: str) -> str:
    """The size of which this one is a part with fewer cores at the same price: `Standard_HB176rs_v4` of
    `Standard_HB176-96rs_v4`; itself if it is none."""
    raise NotImplementedError
