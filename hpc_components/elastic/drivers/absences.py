"""Detects machines that are gone, for clouds that do not list ended machines."""

from collections.abc import Collection, Iterable

LOOKUPS_PER_LAG = 3
"""Number of times that a missing machine is looked up within the list lag."""


class Absences:
    """Machines that the cloud currently can't find by their ids, although they are not known to have been terminated.

    A single failed lookup proves nothing, because a cloud's index may lag or fail for a moment. A machine is
    considered gone after lookups have failed for `lag` seconds, unless the machine was seen in between. All times
    must come from the same monotonic clock.
    """

    def __init__(self, lag: float) -> None:
        self._lag = lag
        self._since: dict[str, float] = {}
        self._asked: dict[str, float] = {}

    def to_ask(self, ids: Iterable[str], now: float, most: int) -> list[str]:
        """Return up to `most` ids to look up now, least recently looked up first."""
        due = [id for id in ids if self._asked.get(id, float("-inf")) + self._lag / LOOKUPS_PER_LAG <= now]
        return sorted(due, key=lambda id: self._asked.get(id, float("-inf")))[:most]

    def unknown(self, id: str, now: float) -> float | None:
        """Record that the cloud did not find this id at `now`.

        Return the time at which the machine went missing, or None if it is not certain yet that the machine is gone.
        """
        since = self._since.setdefault(id, now)
        self._asked[id] = now
        return since if since + self._lag <= now else None

    def has(self, id: str) -> bool:
        """Return whether the machine was missing when it was last looked up."""
        return id in self._since

    def over(self, ids: Collection[str]) -> None:
        """Forget machines that were seen, or that are known to be gone."""
        if self._since:
            for id in ids:
                self._since.pop(id, None)
                self._asked.pop(id, None)
