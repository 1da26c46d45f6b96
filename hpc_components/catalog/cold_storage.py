"""How a cloud's object storage lets objects move to colder storage with age, and expire."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hpc_components.catalog.refusal import Refusal

__all__ = ["ColdStorage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStorage:
    """What one cloud has, and what it would refuse."""

    service: str
    """What keeps the objects, for messages."""
    classes: Sequence[str]
    """The colder storage classes, the warmest first: objects move down this list only."""
    days_kept: Callable[[str], int]
    """Days in a class that are paid for at least, also where an object leaves it earlier."""
    refusals: Callable[[Mapping[str, float], float | None], Iterator[Refusal]]
    """What it would refuse of the ages in days at which objects move, by class, and expire.

    The field is the class, or `expire`. `NOT_SOLD` without `because_of`: that number of days, with the least in
    `allowed`; with `because_of`: they leave that class too early. `NOT_TAKEN`: before they get to `because_of`."""
