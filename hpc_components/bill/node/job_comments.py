"""The verb `comment`: writes what jobs have cost into their `AdminComment` in slurmdbd, once they have ended.

slurmctld sends a job's comment to slurmdbd when the job ends, and never later, so a program that runs at the end of
a job, such as EpilogSlurmctld, would come too late. slurmdbd itself accepts a comment afterwards. Source: Slurm
source code, src/plugins/accounting_storage/mysql/as_mysql_job.c (as_mysql_job_complete and as_mysql_modify_job).

One command writes the comment of all jobs that have cost the same, so ten thousand short jobs an hour are a few
commands a minute.
"""

import argparse
import os
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hpc_components.bill.node.jobs import job_costs
from hpc_components.bill.node.money import dollars
from hpc_components.bill.node.slurm_commands import output_of
from hpc_components.bill.node.spending import records_are_complete, runs_since, sacct_time
from hpc_components.bill.node.verb import Verb

DONE = Path("/var/lib/hpc/costs.written")
"""Time until which the costs of all ended jobs were written, in seconds since the epoch."""

OVERLAP_SECONDS = 900
"""Each run looks at jobs that have ended since this time before the last one. A slurmctld that is restarted sends
slurmdbd once more what it has in memory, which are jobs that ended within the last five minutes (MinJobAge), and
their comments."""

LONG_AGO = 86400.0
"""A time before any job. `sacct` would take the time 0 for its default, today."""

JOBS_PER_COMMAND = 1000

_FIELDS = "JobIDRaw,JobID,State,End,AdminComment"
_RECORD = re.compile(r"([0-9]+)\|([0-9]+[^|]*)\|([A-Z_]+)[^|]*\|([^|]*)\|(.*)")
_COST = re.compile(r"\bcost (about|less than) [0-9,.]+ USD", re.IGNORECASE)
_SUPERSEDED = ("REQUEUED", "RESIZING")


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A job that has ended."""

    job: str
    """Slurm's number of the job: `JobIDRaw` of `sacct`."""
    selector: str
    """The job in commands that would take the number for a whole array, or a whole heterogeneous job."""
    comment: str


def parse(text: str) -> list[Ended]:
    """Return the jobs that have ended, of lines of `sacct` whose last field, the comment, may contain any
    character.
    """
    return [
        Ended(job=job, selector=selector_of(job, shown), comment=comment)
        for job, shown, state, end, comment in _records(text)
        if end.isdigit() and state not in _SUPERSEDED
    ]


def _records(text: str) -> Iterator[list[str]]:
    record: list[str] = []
    for line in text.split("\n"):
        if match := _RECORD.fullmatch(line):
            if record:
                yield record
            record = list(match.groups())
        elif record:
            record[-1] += f"\n{line}"
    if record:
        record[-1] = record[-1].removesuffix("\n")
        yield record


def selector_of(job: str, shown: str) -> str:
    """Return the job's name if its number is also that of its array or heterogeneous job, else the number.

    Numbers are preferred because the database finds them by an index.
    """
    return shown if re.split("[_+]", shown)[0] == job else job


def with_cost(comment: str, micros: int) -> str:
    """Append what the job has cost, in millionths of a dollar."""
    cost = f"cost {shown_cost(micros)} USD"
    return f"{comment}; {cost}" if comment else cost


def shown_cost(micros: int) -> str:
    return "less than 0.01" if 0 < micros < 5000 else f"about {dollars(micros)}"


def can_be_kept(comment: str, *, keeps_capitals: bool) -> bool:
    """Return whether `sacctmgr` can write a comment without changing it.

    It replaces quotes, and before Slurm 23.02 capitals too. Source: Slurm source code, src/sacctmgr/common.c
    (strip_quotes) and src/sacctmgr/job_functions.c (_set_rec).
    """
    return not re.search("[\"']", comment) and (keeps_capitals or not re.search("[A-Z]", comment))


def _comment(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise OSError("only root can write the comments of jobs")
    now = time.time()
    complete = records_are_complete()
    ended = _ended_since(min(now, written_until(now)) - OVERLAP_SECONDS)
    written = 0
    while some := list(islice(ended, JOBS_PER_COMMAND)):
        written += _write(_comments(some, now))
    if complete:
        DONE.write_text(f"{now:.0f}", encoding="utf-8")
    if written:
        print(f"wrote the costs of {written} jobs")
    return 0


def written_until(now: float) -> float:
    """Return the recorded time, or `now` if it is missing, or the machine stopped while it was written."""
    try:
        return float(DONE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return now


def _ended_since(since: float) -> Iterator[Ended]:
    """Return jobs that have ended, and whose comments lack the cost. Jobs that were requeued have not ended."""
    options = ("-a", "-X", "-P", "-n", "-S", sacct_time(since), "-E", "now", "-o", _FIELDS)
    ended = parse(output_of("env", "SLURM_TIME_FORMAT=%s", "sacct", *options))
    # a requeued job may be absent from the records until it is eligible
    waiting = frozenset(output_of("squeue", "-h", "-a", "-o", "%A").split())
    return (one for one in ended if one.job not in waiting and not _COST.search(one.comment))


def _comments(ended: Sequence[Ended], now: float) -> Mapping[str, Collection[str]]:
    """Return the jobs to write to, keyed by comment."""
    costs: dict[str, int] = defaultdict(int)
    runs = runs_since(LONG_AGO, ("-a", "-j", ",".join(one.job for one in ended)))
    for cost in job_costs(runs, 0, now):
        costs[cost.job] += cost.micros
    keeps_capitals = _keeps_capitals(ended)
    found: dict[str, list[str]] = defaultdict(list)
    for one in ended:
        if one.job in costs and can_be_kept(one.comment, keeps_capitals=keeps_capitals):
            found[with_cost(one.comment, costs[one.job])].append(one.selector)
    return found


def _keeps_capitals(ended: Iterable[Ended]) -> bool:
    if not any(one.comment for one in ended):
        return True
    release = re.search(r"([0-9]+)\.([0-9]+)", output_of("sacctmgr", "-V"))
    return release is not None and (int(release[1]), int(release[2])) >= (23, 2)


def _write(comments: Mapping[str, Collection[str]]) -> int:
    """Return the number of jobs."""
    for comment, jobs in comments.items():
        what = ("where", f"jobid={','.join(jobs)}", "set", f"admincomment={comment}")
        output_of("sacctmgr", "-iQ", "modify", "job", *what)
    return sum(map(len, comments.values()))


VERB = Verb(name="comment", help="head node: write what ended jobs have cost into their AdminComment", do=_comment)
