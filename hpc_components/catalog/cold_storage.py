from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdStorage:
    service: str
    """Name of the storage service, for messages."""
    classes: Sequence[str]
    """The colder storage classes, warmest first. Objects can move only towards the end of this list."""
    days_kept: Callable[[str], int]
    """Returns the minimum number of days for which an object in a class is billed, even if it leaves the class
    earlier."""
    refusals: Callable[[Mapping[str, float], float | None], Iterator[Refusal]]
    """Yields refusals, given the age in days at which objects move to each class, and the age at which they expire.

    A refusal's field is the class, or `expire`. The reasons have these meanings:

    - `NOT_SOLD` without `because_of`: the number of days is not allowed, and `allowed` contains the minimum.
    - `NOT_SOLD` with `because_of`: objects would leave the class `because_of` too early.
    - `NOT_TAKEN`: objects would move to this class, or expire, before they reach the class `because_of`.
    """


def by_coldness(archive: Mapping[str, float], classes: Sequence[str]) -> list[str]:
    """Return the names in `archive`, warmest class first. `classes` lists all of the cloud's classes in the same
    order.
    """
    return [name for name in classes if name in archive]


def age_refusals(
    archive: Mapping[str, float], expire_days: float | None, classes: Sequence[str]
) -> Iterator[Refusal]:
    """Yield refusals, given the age in days at which objects move to each class, and the age at which they expire.

    Ages must be whole days. Objects must move to a colder class later than to a warmer one, and expire last. Clouds
    that require a minimum number of days between two classes add their own refusals. `classes` lists the cloud's
    classes, warmest first. A refusal's field is the class, or `expire`. If a number is too small, `allowed` contains
    the minimum.
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
