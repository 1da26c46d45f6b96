"""When a machine has gone, on clouds that do not list those that have."""

from collections.abc import Collection, Iterable

__all__ = ["Absences"]

LOOKS = 3
"""How often a machine that stays unknown is asked for within the list lag."""


class Absences:
    """Machines that the cloud does not know by their ids now, although nobody has ended them.

    One such answer proves nothing: a cloud's index may be behind, or broken for a moment. A machine has gone if it is
    unknown by its id for the whole `lag`, in seconds, and was not seen in between. All times are of one clock that
    nobody sets.
    """

    def __init__(self, lag: float) -> None:
        self._lag = lag
        self._since: dict[str, float] = {}
        self._asked: dict[str, float] = {}

    def to_ask(self, ids: Iterable[str], now: float, most: int) -> list[str]:
        """Which of these to ask for now: the ones that were not asked for the longest, at most so many."""
        due = [id for id in ids if self._asked.get(id, float("-inf")) + self._lag / LOOKS <= now]
        return sorted(due, key=lambda id: self._asked.get(id, float("-inf")))[:most]

    def unknown(self, id: str, now: float) -> float | None:
        """The cloud does not know this id at `now`. Since when, if the machine has gone; else None."""
        since = self._since.setdefault(id, now)
        self._asked[id] = now
        return since if since + self._lag <= now else None

    def has(self, id: str) -> bool:
        """Whether it was unknown when it was last asked for."""
        return id in self._since

    def over(self, ids: Collection[str]) -> None:
        """These were seen, or are known to have gone."""
        if self._since:
            for id in ids:
                self._since.pop(id, None)
                self._asked.pop(id, None)
