"""Adds up what jobs have cost, from the records of slurmdbd."""

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hpc_components.bill.node.associations import Key, line_of
from hpc_components.bill.node.slurm_commands import output_of

_FIELDS = "JobIDRaw,User,Account,Start,End,TimelimitRaw,AllocTRES"
_SECONDS_PER_MINUTE = 60

RECORDS_SECONDS = 600.0
"""Timeout for reading a month with millions of runs."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a job. A job that is requeued has several."""

    job: str
    user: str
    account: str
    start: float
    end: float | None
    """None while it runs."""
    billing: int
    """Millionths of a dollar per minute."""
    limit: float | None
    """Time limit in seconds, or None if unlimited."""


def runs_since(since: float, whose: Sequence[str] = ("-a",), *, until: float | None = None) -> list[Run]:
    """Return all runs that ended after `since`, or still run, and began before `until` or now. Raise OSError if
    slurmdbd does not answer within RECORDS_SECONDS.

    `whose` are options of `sacct` that select jobs. Slurm decides which of them the caller may see.
    """
    end = "now" if until is None else sacct_time(until)
    options = (*whose, "-X", "-D", "-P", "-n", "--noconvert", "-S", sacct_time(since), "-E", end, "-o", _FIELDS)
    return parse(output_of("env", "SLURM_TIME_FORMAT=%s", "sacct", *options, seconds=RECORDS_SECONDS))


def records_are_complete() -> bool:
    """Return whether slurmdbd has everything that slurmctld has for it. Otherwise spending would seem smaller."""
    return re.search(r"DBD Agent queue size:\s*0\b", output_of("sdiag")) is not None


def sacct_time(at: float) -> str:
    return datetime.datetime.fromtimestamp(at).strftime("%Y-%m-%dT%H:%M:%S")


def parse(text: str) -> list[Run]:
    return list(_runs(line.split("|") for line in text.splitlines()))


def _runs(rows: Iterable[Sequence[str]]) -> Iterator[Run]:
    for job, user, account, start, end, limit, trackable in rows:
        billing = re.search(r"\bbilling=([0-9]+)", trackable)
        if billing and start.isdigit():
            yield Run(
                job=job,
                user=user,
                account=account,
                start=float(start),
                end=float(end) if end.isdigit() else None,
                billing=int(billing[1]),
                limit=float(limit) * _SECONDS_PER_MINUTE if limit.isdigit() else None,
            )


def without_lost(runs: Iterable[Run], running: Collection[str], began: float) -> list[Run]:
    """Return the runs, with an end for those that slurmctld does not know as `running`: it was killed before it had
    saved them, and ended them when it began again. slurmdbd would count such runs without an end. It may have `began`
    more than once since then, so they count until their time limits at most.
    """
    return [_lost(run, began) if run.end is None and run.job not in running else run for run in runs]


def _lost(run: Run, began: float) -> Run:
    end = began if run.limit is None else min(began, run.start + run.limit)
    return replace(run, end=max(run.start, end))


def still_running(runs: Iterable[Run], now: float) -> list[Run]:
    """Return the runs as they were at a time: those that ended later were still running."""
    return [replace(run, end=None) if run.end is not None and run.end > now else run for run in runs]


Spending = dict[Key, int]
"""What users have spent in accounts, without that of accounts below, in sixtieths of a millionth of a dollar."""


def spending(runs: Iterable[Run], since: float, until: float) -> Spending:
    """Return what was spent between two times."""
    found: Spending = {}
    for run in runs:
        end = until if run.end is None else min(run.end, until)
        _add(found, run, max(0, round(end - max(run.start, since))))
    return found


def yet_counted(runs: Iterable[Run], since: float, counted: float) -> Spending:
    """Return what was spent since a time, as far as slurmctld, which has last `counted` usage then, knows it.

    It is negative for a run that began before a month to come, and will count until then for the former month: that
    is not spent of the new one.
    """
    found: Spending = {}
    for run in runs:
        begin = max(run.start, since)
        _add(found, run, round((max(run.start, counted) if run.end is None else max(begin, run.end)) - begin))
    return found


def _add(found: Spending, run: Run, seconds: int) -> None:
    key = (run.account, run.user)
    found[key] = found.get(key, 0) + run.billing * seconds


def added(several: Iterable[Mapping[Key, int]]) -> Spending:
    found: Spending = {}
    for one in several:
        for key, amount in one.items():
            found[key] = found.get(key, 0) + amount
    return found


def spent(found: Mapping[Key, int], parents: Mapping[str, str]) -> dict[Key, int]:
    """Return what each association has spent, in millionths of a dollar: users, and accounts with those below."""
    whole: Spending = {}
    for (account, user), amount in found.items():
        for key in ((account, user), *((name, "") for name in line_of(account, parents))):
            whole[key] = whole.get(key, 0) + amount
    return {key: amount // _SECONDS_PER_MINUTE for key, amount in whole.items()}
