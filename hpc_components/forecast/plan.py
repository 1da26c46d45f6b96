"""The backfill scheduler's plan: how much of a queue will be free, if all jobs run to their time limits."""

from bisect import bisect_right
from collections.abc import Iterable


class Plan:
    """A step function of free units over time. From `times[i]` on, `free[i]` units are free."""

    def __init__(self, now: int, free: int, ends: Iterable[tuple[int, int]]) -> None:
        """`ends` are the times after `now` at which units become free, in order."""
        self.times = [now]
        self.free = [free]
        for time, units in ends:
            free += units
            self.times.append(time)
            self.free.append(free)

    def free_until(self, units: int) -> float:
        """Return the time until which so many units are free without a break, from the beginning."""
        for index, free in enumerate(self.free):
            if free < units:
                return self.times[index]
        return float("inf")

    def earliest(self, units: int, seconds: int, *, later: bool = False) -> int | None:
        """Return the first step from which so many units are free for so long, or None.

        If `later` is set, the first step does not count.
        """
        times, frees = self.times, self.free
        start = None
        for index in range(1 if later else 0, len(times)):
            if start is not None and times[index] >= start + seconds:
                return start
            if frees[index] < units:
                start = None
            elif start is None:
                start = times[index]
        return start

    def take(self, start: int, seconds: int, units: int) -> None:
        first, last = self._step(start), self._step(start + seconds)
        for index in range(first, last):
            self.free[index] -= units

    def _step(self, time: int) -> int:
        """Return the index of the step that begins at `time`, and make it if it does not exist."""
        index = bisect_right(self.times, time) - 1
        if self.times[index] == time:
            return index
        self.times.insert(index + 1, time)
        self.free.insert(index + 1, self.free[index])
        return index + 1
