"""The verb `why`: why a job waits, in words, if it is a budget."""

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hpc_components.bill.node.concerns import Concerns, my_concerns
from hpc_components.bill.node.described import Node
from hpc_components.bill.node.ending import ENDED
from hpc_components.bill.node.money import dollars, exact, in_cents, shown
from hpc_components.bill.node.queue import billing_of, jobs
from hpc_components.bill.node.standing import Standing, to_json
from hpc_components.bill.node.verb import Verb, with_format

EXAMPLES = """  hpc-bill why 1234                  why job 1234 waits, and what would let it start
  hpc-bill why 1234 --format json    the same for programs"""

_REASON = "AssocGrpBillingMinutes"
"""Slurm's reason for a job that a limit of billing-minutes keeps waiting. Source: Slurm source code,
src/common/job_state_reason.c of 24.11, src/common/slurm_protocol_defs.c of 22.05."""


@dataclass(frozen=True, kw_only=True)
class Job:
    id: str
    state: str
    reason: str
    account: str
    user: str
    billing: int
    """Millionths of a dollar per minute."""
    limit_minutes: int | None
    """Time limit, or None if unlimited."""
    comment: str
    """An administrator's comment, or one of this package."""

    @property
    def cost(self) -> int | None:
        """What the job costs at most, or None without a time limit."""
        return None if self.limit_minutes is None else self.billing * self.limit_minutes


_COLUMNS = (
    "jobid",
    "jobarrayid",
    "state",
    "reason",
    "account",
    "username",
    "timelimit",
    "partition",
    "numnodes",
    "numcpus",
    "oversubscribe",
    "tres-alloc",
    "admin_comment",
)


def job_of(row: Mapping[str, str], queues: Mapping[str, Node]) -> Job:
    return Job(
        id=row["jobid"],
        state=row["state"],
        reason=row["reason"],
        account=row["account"],
        user=row["username"],
        billing=_billing(row, queues),
        limit_minutes=minutes(row["timelimit"]),
        comment=row["admin_comment"],
    )


def _billing(row: Mapping[str, str], queues: Mapping[str, Node]) -> int:
    """Return the highest billing of the job in any of its queues.

    Slurm states the billing of what a waiting job has requested, and not of what it will get: whole cores, or whole
    nodes. In those cases, the job waits although the stated billing would fit.
    """
    found = [billing_of(row)]
    if row["state"] == "PENDING":
        count, cpus = int(row["numnodes"].partition("-")[0]), int(row["numcpus"].partition("-")[0])
        for node in (queues[name] for name in row["partition"].split(",") if name in queues):
            cores = -(-cpus // node.threads_per_core) * node.threads_per_core
            whole = row["oversubscribe"] == "NO"
            found.append(node.billing * count if whole else node.billing * cores // node.cpus)
    return max(found)


def minutes(text: str) -> int | None:
    """Convert `[days-][hours:]minutes:seconds`, rounded up, or return None for another word, e.g. `UNLIMITED`."""
    match = re.fullmatch(r"(?:([0-9]+)-)?(?:([0-9]+):)?([0-9]+):([0-9]+)", text)
    if match is None:
        return None
    days, hours, whole, seconds = (int(part or 0) for part in match.groups())
    return days * 1440 + hours * 60 + whole + (seconds > 0)


def _tell(options: argparse.Namespace) -> int:
    concerns = my_concerns()
    found = jobs(_COLUMNS, "-a", "-t", "all", "-j", options.job)
    if not found:
        raise OSError(f"Slurm no longer knows job {options.job}")
    job = job_of(found[0], concerns.queues)
    if options.format == "json":
        print(json.dumps(document(job, concerns), indent=1))
    else:
        print("\n".join(told(job, concerns)))
    return 0


def blocking(job: Job, concerns: Concerns) -> Sequence[Standing]:
    """Return the budgets that the job waits for."""
    if job.state != "PENDING" or job.reason != _REASON:
        return ()
    budgets = concerns.of_job(job.account, job.user)
    return [one for one in budgets if one.left <= 0 or (concerns.at_limit == "finish" and _too_dear(job, one))]


def _too_dear(job: Job, budget: Standing) -> bool:
    return job.cost is None or job.cost > budget.left


def document(job: Job, concerns: Concerns) -> Mapping[str, object]:
    return {
        "version": 1,
        "currency": "USD",
        "job": job.id,
        "state": job.state,
        "reason": job.reason,
        "costs_at_most_usd": None if job.cost is None else exact(job.cost),
        "waits_for": [to_json(one) for one in blocking(job, concerns)],
    }


def told(job: Job, concerns: Concerns) -> Iterator[str]:
    """Yield the lines."""
    yield _costs(job)
    if job.state != "PENDING":
        yield f"It does not wait: it is {job.state.lower()}."
        if job.comment.startswith(ENDED):
            spent = job.comment.removeprefix(ENDED)
            yield f"{spent[:1].upper()}{spent[1:]}, so it was ended."
        return
    if job.reason != _REASON:
        yield f"It does not wait for money, but for another reason: {job.reason}."
        return
    budgets = blocking(job, concerns)
    for one in budgets:
        yield _short_of(one)
    if not budgets:
        yield "Enough is left now: it starts at Slurm's next look at waiting jobs, within a minute."
        return
    yield "What you can do:"
    yield from (f"  - {line}" for line in _remedies(job, budgets, concerns))


def _costs(job: Job) -> str:
    if job.cost is None:
        return f"Job {job.id} has no time limit, so it may cost any amount."
    rate, hours = dollars(job.billing * 60), written(job.limit_minutes or 0)
    return f"Job {job.id} costs up to {dollars(job.cost)} USD: {rate} USD an hour, for at most {hours}."


def _short_of(budget: Standing) -> str:
    spent, reserved, left = in_cents((budget.spent, budget.reserved, budget.left))
    of = f"{shown(spent + reserved + left)} USD" + (" a month" if budget.period == "month" else "")
    running = f", {shown(reserved)} reserved by running jobs" if budget.reserved else ""
    renews = f" It renews on {budget.renews}." if budget.renews else " It does not renew."
    whose = f"{budget.kind.capitalize()} {budget.name}"
    return f"{whose} has {shown(left)} USD left of {of} ({shown(spent)} spent{running}).{renews}"


def _remedies(job: Job, budgets: Sequence[Standing], concerns: Concerns) -> Iterator[str]:
    left = min(one.left for one in budgets)
    if job.cost is None:
        yield f"set a time limit: scontrol update jobid={job.id} timelimit=1:00:00"
    elif concerns.at_limit == "finish" and (fits := left // max(job.billing, 1)) > 0:
        yield f"ask for less time, which fits: scontrol update jobid={job.id} timelimit={written(fits)}"
    short = [one for one in budgets if job.cost is not None and job.cost > one.limit]
    if short:
        yield f"ask for less: the job costs more than the whole budget of {dollars(short[0].limit)} USD"
    elif any(one.reserved for one in budgets):
        yield "wait for running jobs: what they do not use of their time limits becomes free again"
    if not short and all(one.renews for one in budgets):
        yield f"wait until {max(str(one.renews) for one in budgets)}, when the budget renews"
    yield "ask an administrator to raise the budget; the job then starts by itself"


def written(minutes: int) -> str:
    """Format a time limit as Slurm reads it, e.g. `1-02:30:00`."""
    days, rest = divmod(minutes, 1440)
    return f"{f'{days}-' if days else ''}{rest // 60:02}:{rest % 60:02}:00"


def _job_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", metavar="JOBID", type=_job_id)
    with_format(parser)


def _job_id(text: str) -> str:
    if not re.fullmatch(r"[0-9]+(_[0-9]+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a job id, e.g. 1234 or 1234_7")
    return text


VERB = Verb(name="why", help="tell why a job waits for money", examples=EXAMPLES, do=_tell, arguments=_job_argument)
