"""The verb `settle`: makes Slurm's limits agree with what jobs have really cost.

Slurm enforces a limit on the usage that slurmctld counts, and never resets it here (PriorityUsageResetPeriod=NONE):
it can only reset that of all months, so that totals could be spent again. slurmdbd remembers every run. So each limit
is set to slurmctld's count plus what is really left. That is necessary

- when a month begins: monthly budgets get their money. Whatever fails then leaves limits closed, never open.
- when slurmctld has been killed, which forgets up to five minutes of usage. Source: Slurm source code,
  PERIODIC_CHECKPOINT in src/slurmctld/slurmctld.h; run on Slurm 22.05 and 24.11.
- when the description changes.

`settle` runs every minute, and does nothing if none of these has happened.
"""

import argparse
import datetime
import fcntl
import hashlib
import os
import re
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.bill.node import months
from hpc_components.bill.node.associations import Association, Key, associations
from hpc_components.bill.node.described import FILE, Budget, Described, read
from hpc_components.bill.node.slurm_commands import output_of
from hpc_components.bill.node.spending import (
    Run,
    Spending,
    records_are_complete,
    runs_since,
    spent,
    still_running,
    without_lost,
    yet_counted,
)
from hpc_components.bill.node.standing import next_month
from hpc_components.bill.node.verb import Verb

DECAY = Path("/var/lib/hpc/slurmctld/priority_last_decay_ran")
"""slurmctld's record of when it last counted usage, in its first 8 bytes, the most significant one first. Source:
Slurm source code, _write_last_decay_ran, 22.05 to 25.11."""

DONE = Path("/var/lib/hpc/budgets.settled")

UNSETTLED = Path("/var/lib/hpc/budgets.unsettled")
"""Why limits could not be settled at the last attempt."""

LOCK = Path("/var/lib/hpc/budgets.lock")
"""Held while limits are settled: two runs would each undo what the other has read."""

TURN_SECONDS = 70
"""A run that ends so shortly before a month waits for it, because the next run would be late."""

WAIT_SECONDS = 90
"""Seconds to wait until slurmctld has counted usage since it started, which it does every minute."""

FRESH_SECONDS = 55
"""slurmctld counts every 60 seconds (PriorityCalcPeriod). Its count and the time of its count are read when it is not
about to count again."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What slurmctld and slurmdbd know."""

    found: Mapping[Key, Association]
    this_month: Mapping[Key, int]
    """What was spent this month, as far as it is in slurmctld's count."""
    earlier: Mapping[Key, int]
    """What was spent in the months before."""
    unknown: str
    """Why more may have been spent in the months before, or empty if it is known."""


def counted() -> int:
    """Return when slurmctld last counted usage, or 0 if it has not counted yet."""
    return struct.unpack(">q", DECAY.read_bytes()[:8])[0] if DECAY.exists() else 0


def month_of(now: float) -> float:
    """Return the time at which the month began."""
    return months.beginning(datetime.datetime.fromtimestamp(now).date())


def is_settled() -> bool:
    """Return whether limits are those of this month, this description and this slurmctld."""
    return _done() == _state(_start_of_slurmctld())


def _settle(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise OSError("only root can set limits")
    _settle_if_needed(every=options.all)
    end = months.beginning(next_month(datetime.datetime.now().date()))
    if time.time() > end - TURN_SECONDS:
        while time.time() < end:
            time.sleep(max(0.1, end - time.time()))
        _settle_if_needed()
    return 0


def _settle_if_needed(*, every: bool = False) -> None:
    """Raise OSError if limits could not be settled."""
    try:
        with LOCK.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = _state(_start_of_slurmctld())
            if every or _done() != state:
                _settle_all(new_month=_done().split()[1:2] not in ([], state.split()[1:2]))
                DONE.write_text(state, encoding="utf-8")
    except OSError as error:
        UNSETTLED.write_text(str(error), encoding="utf-8")
        raise
    UNSETTLED.unlink(missing_ok=True)


def _done() -> str:
    return DONE.read_text(encoding="utf-8") if DONE.exists() else ""


def _state(began: float) -> str:
    """Return a text that changes whenever limits must be settled. `began` is the start of slurmctld."""
    return f"{began:.0f} {month_of(time.time()):.0f} {hashlib.sha256(FILE.read_bytes()).hexdigest()}"


def _start_of_slurmctld() -> float:
    said = re.search(r"^BOOT_TIME\s*= (\S+)", output_of("scontrol", "show", "config"), re.MULTILINE)
    return datetime.datetime.fromisoformat(said[1]).timestamp() if said else 0.0


def _settle_all(*, new_month: bool) -> None:
    described, began = read(), _start_of_slurmctld()
    periods = {one.period for one in described.budgets}
    _wait_until(lambda: counted() >= began, "slurmctld has not counted usage since it started")
    # first what needs this month's records only: to read those of a finished month may take minutes
    changed = _set_limits(described, _read(began, {}, "not read yet"))
    earlier, unknown = _earlier(began) if "total" in periods else ({}, "")
    if new_month and "month" in periods and not unknown:
        _forget_usage(described, _read(began, earlier, unknown))
    changed |= _set_limits(described, _read(began, earlier, unknown))
    print(f"{len(changed)} of {len(described.budgets)} limits changed", flush=True)
    if unknown:
        raise OSError(f"totals stay limited to what was left before: {unknown}")


def _set_limits(described: Described, reading: Reading) -> set[Key]:
    """Return the associations that had another limit."""
    budgets = [one for one in described.budgets if one.association in reading.found]
    return {
        one.association
        for one in budgets
        if _set_limit(described.cluster, reading.found[one.association], limit_of(one, reading))
    }


def limit_of(budget: Budget, reading: Reading) -> int:
    """Return the limit that lets jobs spend what is left, beyond what slurmctld has counted. If that is unknown, the
    limit is not raised.
    """
    key = budget.association
    association = reading.found[key]
    left = budget.micros - reading.this_month.get(key, 0)
    if budget.period == "total":
        left -= reading.earlier.get(key, 0)
    limit = max(0, association.used + left)
    if budget.period == "total" and reading.unknown and association.limit is not None:
        return min(limit, association.limit)
    return limit


def _read(began: float, earlier: Spending, unknown: str) -> Reading:
    """slurmctld's count is read before slurmdbd's records, which then contain every run that the count contains."""
    _wait_until(lambda: time.time() - counted() < FRESH_SECONDS, "slurmctld no longer counts usage")
    at, now, found = counted(), int(time.time()), associations()
    if counted() != at:
        return _read(began, earlier, unknown)  # it has counted meanwhile
    complete = _completion(began)
    parents = {one.account: one.parent for one in found.values() if not one.user}
    month = month_of(time.time())
    this_month = yet_counted(still_running(complete(runs_since(month)), now), month, at)
    return Reading(
        found=found, this_month=spent(this_month, parents), earlier=spent(earlier, parents), unknown=unknown
    )


def _earlier(began: float) -> tuple[Spending, str]:
    """Return what was spent before this month, and why that is not all."""
    try:
        return months.earlier(month_of(time.time()), _completion(began)), ""
    except months.UnknownError as error:
        return error.known, str(error)


def _completion(began: float) -> Callable[[Sequence[Run]], Sequence[Run]]:
    """Wait until slurmdbd has all records. Return what ends the runs that it wrongly believes to go on."""
    running = output_of("squeue", "-h", "-a", "-r", "-t", "R,S,CG,CF,ST,SI,RS,SO", "-o", "%A").split()
    _wait_until(records_are_complete, "slurmdbd has not received all records yet")
    return lambda runs: without_lost(runs, running, began)


def _forget_usage(described: Described, reading: Reading) -> None:
    """Set all usage to zero, so that fair share begins anew. Usage counts towards limits, which are lowered before:
    then nothing is open if this program is killed. That would end jobs with `at_limit: end`, where limits are lowered
    just after, and jobs that start meanwhile end like others.
    """
    cluster = f"cluster={described.cluster}"
    if described.at_limit == "finish":
        for one in described.budgets:
            if one.association in reading.found:
                association = reading.found[one.association]
                lower = max(0, limit_of(one, reading) - association.used)
                present = lower if association.limit is None else association.limit
                _set_limit(described.cluster, association, min(lower, present))
    output_of("sacctmgr", "-iQ", "modify", "account", "where", "name=root", cluster, "set", "rawusage=0")


def _wait_until(done: Callable[[], bool], why: str) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not done():
        if time.monotonic() > end:
            raise OSError(why)
        time.sleep(0.2)


def _set_limit(cluster: str, association: Association, limit: int) -> bool:
    """Return whether the limit was another one."""
    if association.limit == limit:
        return False
    account, user = association.account, association.user
    what = (
        ("user", "where", f"name={user}", f"account={account}") if user else ("account", "where", f"name={account}")
    )
    output_of("sacctmgr", "-iQ", "modify", *what, f"cluster={cluster}", "set", f"grptresmins=billing={limit}")
    return True


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also if nothing seems to have changed")


VERB = Verb(
    name="settle", help="head node: make Slurm's limits agree with its records", do=_settle, arguments=_arguments
)
