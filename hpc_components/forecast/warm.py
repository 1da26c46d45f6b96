"""Nodes that are kept running at certain times of the day, whether jobs need them or not."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_DAY, _WEEK = 86400, 7 * 86400
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_FIRST_DAY = 3
"""Day of the week of 1970-01-01."""
_FORM = re.compile(
    r"(?P<queue>[^=]+)=(?P<nodes>[1-9]\d{0,5})@((?P<first>[a-z]{3})(-(?P<last>[a-z]{3}))?,)?"
    r"(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d)",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Warm:
    """A wish to keep nodes of a queue running."""

    queue: str
    nodes: int
    days: tuple[int, ...]
    """Days of the week on which it begins, from 0 for Monday."""
    begin: int
    """Seconds since midnight, on the clock of the jobs' file."""
    end: int
    text: str
    """The wish as it was written."""

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Yield the begin and end of each span, in seconds since the beginning of the week."""
        return ((day * _DAY + self.begin, day * _DAY + self.end) for day in self.days)

    def holds(self, now: int) -> bool:
        return any(begin <= _in_week(now) < end for begin, end in self._spans())

    def next_change(self, now: int) -> int:
        """Return the first time after `now` at which the wish begins or ends."""
        return now + min((each - _in_week(now) - 1) % _WEEK + 1 for span in self._spans() for each in span)


def warm_of(text: str) -> Warm:
    """Return the wish written as e.g. `cpu=2@08:00-18:00` or `cpu=2@Mon-Fri,08:00-18:00`.

    Raise ValueError if it has another form.
    """
    found = _FORM.fullmatch(text)
    days = [_day(found[key]) if found and found[key] else None for key in ("first", "last")]
    begin, end = (_seconds(found[key]) if found else -1 for key in ("begin", "end"))
    first, last = days
    if not found or -1 in (first, last, begin, end) or begin >= end or (last is not None and (first or 0) > last):
        raise ValueError(
            f"{text!r} is not nodes and hours of a day; write e.g. cpu=2@08:00-18:00 or cpu=2@Mon-Fri,08:00-18:00 "
            "(use two for a night: until 24:00, and from 00:00)"
        )
    chosen = range(7) if first is None else range(first, (first if last is None else last) + 1)
    return Warm(queue=found["queue"], nodes=int(found["nodes"]), days=tuple(chosen), begin=begin, end=end, text=text)


def nodes_at(wishes: Iterable[Warm], now: int) -> int:
    """Return how many nodes are wished for at a time."""
    return max((wish.nodes for wish in wishes if wish.holds(now)), default=0)


def _in_week(time: int) -> int:
    return (time + _FIRST_DAY * _DAY) % _WEEK


def _day(name: str) -> int:
    return _DAYS.index(name.capitalize()) if name.capitalize() in _DAYS else -1


def _seconds(clock: str) -> int:
    """Return the seconds since midnight, or -1 if there is no such time."""
    hours, minutes = map(int, clock.split(":"))
    time = 60 * (60 * hours + minutes)
    return time if minutes < 60 and time <= _DAY else -1
