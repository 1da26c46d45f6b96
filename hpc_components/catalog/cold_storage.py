"""How a cloud's object storage lets objects move to colder storage with age, and expire."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hpc_components.catalog.refusal import Refusal, Why

__all__ = ["ColdStorage", "age_refusals", "by_coldness"]


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


def by_coldness(archive: Mapping[str, float], classes: Sequence[str]) -> list[str]:
    """The classes to which objects move, the warmest first. `classes` are the cloud's own in that order."""
    return [name for name in classes if name in archive]


def age_refusals(
    archive: Mapping[str, float], expire_days: float | None, classes: Sequence[str]
) -> Iterator[Refusal]:
    """What is refused of ages in days at which objects move, by class, and expire, where each age stands for itself.

    Ages are whole days, a colder class has more of them than a warmer one, and the end has the most. A cloud that
    wants so many days in a class before the next has refusals of its own. `classes` are the cloud's, the warmest
    first. The field is the class, or `expire`. `allowed` has the least number of days where one number is too small.
    """
    for name, days in archive.items():
        if name not in classes:
            yield Refusal(field=name, why=Why.UNKNOWN, allowed=tuple(classes))
        elif days != int(days) or days < 0:
            yield Refusal(field=name, why=Why.NOT_SOLD, allowed=(max(0, int(days)),))
    for warm, cold in pairwise(by_coldness(archive, classes)):
        if archive[warm] >= archive[cold]:
            yield Refusal(field=cold, why=Why.NOT_TAKEN, because_of=warm, allowed=(int(archive[warm]) + 1,))
    if expire_days is None:
        return
    if expire_days != int(expire_days) or expire_days < 1:
        yield Refusal(field="expire", why=Why.NOT_SOLD, allowed=(1,))
    elif archive and expire_days <= max(archive.values()):
        yield Refusal(field="expire", why=Why.NOT_TAKEN, because_of=max(archive, key=lambda name: archive[name]))
