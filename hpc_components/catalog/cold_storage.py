"""How a cloud's object storage lets objects move to colder storage with age, and expire."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStorage:
    """The storage classes of one cloud, and the ages that it refuses."""

    service: str
    """The storage service, for messages."""
    classes: Sequence[str]
    """The colder storage classes, the warmest first: objects move down this list only."""
    days_kept: Callable[[str], int]
    """Minimum number of days in a class that are billed, even if an object leaves it earlier."""
    refusals: Callable[[Mapping[str, float], float | None], Iterator[Refusal]]
    """Refusals of ages in days at which objects move, by class, and expire.

    The field is the class, or `expire`. `NOT_SOLD` without `because_of`: this number of days is not possible;
    `allowed` has the minimum. `NOT_SOLD` with `because_of`: objects would leave that class too early. `NOT_TAKEN`:
    objects would get here before they reach `because_of`."""


def by_coldness(archive: Mapping[str, float], classes: Sequence[str]) -> list[str]:
    """Return the classes of `archive`, the warmest first. `classes` are the cloud's own in that order."""
    return [name for name in classes if name in archive]


def age_refusals(
    archive: Mapping[str, float], expire_days: float | None, classes: Sequence[str]
) -> Iterator[Refusal]:
    """Yield refusals of ages in days at which objects move, by class, and expire, each age judged for itself.

    Ages are whole days; a colder class needs a greater age than a warmer one, and expiry the greatest. A cloud with a
    minimum number of days between two classes adds refusals of its own. `classes` are the cloud's, the warmest first.
    The field is the class, or `expire`. If a number is too small, `allowed` has the minimum.
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
