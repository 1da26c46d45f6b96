"""The verb `end`: ends the running jobs of a budget in the second in which it is spent.

With `at_limit: end`, Slurm itself ends jobs at a limit, but up to 90 seconds late: it counts usage every 60 seconds
(PriorityCalcPeriod), and looks every 30 seconds whether running jobs are beyond a limit. Source: Slurm source code,
PERIODIC_TIMEOUT in src/slurmctld/slurmctld.h, job_time_limit in src/slurmctld/job_mgr.c, of 22.05 and 24.11. So this
program computes from slurmctld's own count when a budget is spent, and ends the jobs then. It needs only slurmctld,
and remembers nothing. If it does not run, Slurm's limit ends the jobs.
"""

import argparse
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hpc_components.bill.node.associations import Association, associations, line_of
from hpc_components.bill.node.described import Budget, Described, read
from hpc_components.bill.node.money import dollars
from hpc_components.bill.node.queue import billing_of, jobs
from hpc_components.bill.node.settle import counted, is_settled
from hpc_components.bill.node.slurm_commands import output_of
from hpc_components.bill.node.verb import Verb

LOOK_SECONDS = 10.0
"""Seconds between two looks. A job that starts just after a look spends so long before it is seen."""

LATE_SECONDS = 1
"""Seconds after which a spent budget ends jobs. Slurm counts whole seconds: if it counted less than the limit, the
next job would start at once.
"""

_COLUMNS = ("jobarrayid", "statecompact", "account", "username", "starttime", "tres-alloc", "admin_comment")
_JOBS_PER_COMMAND = 200
_OURS = "hpc: "
"""How the comments of this package begin. Others are left as they are."""
ENDED = f"{_OURS}ended: "
"""How the comments of jobs begin that were ended for want of money."""


@dataclass(frozen=True, kw_only=True)
class Running:
    id: str
    """As `scancel` takes it: `12`, or `12_3` for the task of an array."""
    account: str
    user: str
    start: int
    billing: int
    """Millionths of a dollar per minute."""
    comment: str


def running() -> list[Running]:
    """Return the jobs for which slurmctld counts usage."""
    return [running_of(one) for one in jobs(_COLUMNS, "-a", "-r", "-t", "R,S") if one["statecompact"] in ("R", "S")]


def running_of(job: Mapping[str, str]) -> Running:
    return Running(
        id=job["jobarrayid"].partition("+")[0],  # the parts of a heterogeneous job end together
        account=job["account"],
        user=job["username"],
        start=int(job["starttime"]),
        billing=billing_of(job),
        comment="" if job["admin_comment"] in ("(null)", "N/A") else job["admin_comment"],
    )


def of_budget(budget: Budget, found: Iterable[Running], parents: Mapping[str, str]) -> list[Running]:
    """Return the jobs for which a budget pays."""
    account, user = budget.association
    return [one for one in found if user in ("", one.user) and account in line_of(one.account, parents)]


def seconds_left(association: Association, found: Collection[Running], counted_at: int, now: int) -> float | None:
    """Return after how many seconds the limit is spent, negative if it is, or None if nothing can spend it."""
    rate = sum(one.billing for one in found)
    if association.limit is None or rate == 0:
        return None
    since = sum(one.billing * max(0, now - max(one.start, counted_at)) for one in found)
    return ((association.limit - association.used) * 60 - since) / rate


def _end(options: argparse.Namespace) -> int:
    said = ""
    while True:
        try:
            pause, told = _look(read()), ""
        except OSError as error:
            pause, told = LOOK_SECONDS, f"hpc-bill: {error}"
        if told and told != said:
            print(told, file=sys.stderr, flush=True)
        said = told
        time.sleep(pause)


def _look(described: Described) -> float:
    """End the jobs of spent budgets. Return the seconds until the next look."""
    if described.at_limit != "end" or not is_settled():
        return LOOK_SECONDS  # limits are still those of last month, or of the former description
    at, found, every = counted(), associations(), running()
    now = int(time.time())
    if counted() != at:
        return 0.1  # slurmctld counted meanwhile
    parents = {one.account: one.parent for one in found.values() if not one.user}
    pause = LOOK_SECONDS
    for budget in described.budgets:
        theirs = of_budget(budget, every, parents)
        left = seconds_left(found[budget.association], theirs, at, now) if budget.association in found else None
        if left is None:
            continue
        if left <= -LATE_SECONDS:
            _end_jobs(theirs, ENDED + _spent(budget))
        else:
            pause = min(pause, left + LATE_SECONDS)
    return max(pause, 0.1)


def _spent(budget: Budget) -> str:
    month = " of this month" if budget.period == "month" else ""
    return f"{budget.kind} {budget.name} has spent its {dollars(budget.micros)} USD{month}"


def _end_jobs(found: Sequence[Running], why: str) -> None:
    """Raise OSError if some could not be ended, once the others are."""
    for some in _chunks(sorted({one.id for one in found if not one.comment or one.comment.startswith(_OURS)})):
        with suppress(OSError):  # some have just ended; none goes on for want of a comment
            output_of("scontrol", "update", f"jobid={','.join(some)}", f"admincomment={why}")
    failure = None
    for some in _chunks(sorted({one.id for one in found})):
        try:
            output_of("scancel", "-Q", *some)
            print(f"{why}: {', '.join(some)}", flush=True)
        except OSError as error:
            failure = error
    if failure:
        raise failure


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + _JOBS_PER_COMMAND] for at in range(0, len(ids), _JOBS_PER_COMMAND))


VERB = Verb(
    name="end", help="head node, at_limit: end: end jobs in the second in which their budget is spent", do=_end
)
