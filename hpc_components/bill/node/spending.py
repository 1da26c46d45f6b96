"""Adds up what jobs have cost, from the records of slurmdbd."""

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hpc_components.bill.node.associations import Key, line_of
from hpc_components.bill.node.slurm_commands import output_of

_FIELDS = "JobIDRaw,User,Account,Start,End,TimelimitRaw,AllocTRES"
_SECONDS_PER_MINUTE = 60


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


def runs_since(since: float, whose: Sequence[str] = ("-a",)) -> list[Run]:
    """Return all runs that ended after `since`, or still run. Raise OSError if slurmdbd does not answer.

    `whose` are options of `sacct` that select jobs. Slurm decides which of them the caller may see.
    """
    begin = datetime.datetime.fromtimestamp(since).strftime("%Y-%m-%dT%H:%M:%S")
    options = (*whose, "-X", "-D", "-P", "-n", "--noconvert", "-S", begin, "-E", "now", "-o", _FIELDS)
    return parse(output_of("env", "SLURM_TIME_FORMAT=%s", "sacct", *options))


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


def spent(runs: Iterable[Run], parents: Mapping[str, str], since: float, until: float) -> dict[Key, int]:
    """Return what each association has spent between two times, in millionths of a dollar. Runs that have ended count
    whole, those that still run until `until`.
    """
    seconds: dict[Key, int] = {}
    for run in runs:
        end = until if run.end is None else run.end
        amount = run.billing * max(0, round(end - max(run.start, since)))
        for key in ((run.account, run.user), *((account, "") for account in line_of(run.account, parents))):
            seconds[key] = seconds.get(key, 0) + amount
    return {key: amount // _SECONDS_PER_MINUTE for key, amount in seconds.items()}
