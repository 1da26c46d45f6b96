"""What was spent in finished months, kept on the state volume, so that each month is read from slurmdbd once.

Without it, whatever a total has spent would be read from all records of all time, which takes longer every month.
"""

import datetime
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hpc_components.bill.node.spending import Run, Spending, added, runs_since, spending
from hpc_components.bill.node.standing import next_month

FILE = Path("/var/lib/hpc/budgets.months")
"""If it is lost or damaged, it is made anew from slurmdbd."""

FIRST = datetime.date(2026, 1, 1)
"""A month before the first release of this package. No run before it was counted in money."""


def beginning(day: datetime.date) -> float:
    """Return the time at which the day's month began, in the time zone of slurmctld, which is the machine's."""
    return datetime.datetime(day.year, day.month, 1).timestamp()


def months_until(until: float) -> Iterator[datetime.date]:
    """Yield the first day of each month since FIRST that ended at `until` or before."""
    day = FIRST
    while beginning(next_month(day)) <= until:
        yield day
        day = next_month(day)


def earlier(until: float, complete: Callable[[Sequence[Run]], Sequence[Run]], file: Path = FILE) -> Spending:
    """Return what was spent in all months that ended at `until` or before.

    slurmdbd must have all records of these months. `complete` ends the runs that slurmdbd wrongly believes to go on.
    Raise UnknownError if slurmdbd does not answer; the months read until then are kept.
    """
    kept = _read(file)
    wanted = {day.isoformat()[:7]: day for day in months_until(until)}
    found = {name: kept[name] for name in wanted if name in kept}
    try:
        for name, day in wanted.items():
            if name not in found:
                found[name] = _month(day, complete)
    except OSError as error:
        raise UnknownError(f"what was spent in {name}: {error}", added(found.values())) from None
    finally:
        if found != kept:
            _write(file, found)
    return added(found.values())


class UnknownError(OSError):
    """The spending of a month is unknown; `known` is that of the others."""

    def __init__(self, why: str, known: Spending) -> None:
        super().__init__(why)
        self.known = known


def _month(day: datetime.date, complete: Callable[[Sequence[Run]], Sequence[Run]]) -> Spending:
    since, until = beginning(day), beginning(next_month(day))
    return spending(complete(runs_since(since, until=until)), since, until)


def _read(file: Path) -> dict[str, Spending]:
    try:
        checksum, _, text = file.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    if checksum != _checksum(text):
        return {}
    return {
        name: {(account, user): amount for account, user, amount in rows} for name, rows in json.loads(text).items()
    }


def _write(file: Path, months: Mapping[str, Spending]) -> None:
    text = json.dumps({name: [[*key, amount] for key, amount in found.items()] for name, found in months.items()})
    new = file.with_name(file.name + ".new")
    with new.open("w", encoding="utf-8") as out:
        out.write(f"{_checksum(text)}\n{text}")
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
