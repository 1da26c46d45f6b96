"""The verb `settle`: makes Slurm's limits agree with what jobs have really cost.

Slurm enforces a limit on the usage that slurmctld counts, and that count is not the whole truth:

- If slurmctld is killed, it forgets up to five minutes of usage. Source: Slurm source code, PERIODIC_CHECKPOINT in
  src/slurmctld/slurmctld.h; run on Slurm 22.05 and 24.11.
- Every month, all usage is reset, also that of totals and of each QoS, even with NoDecay. Source: Slurm source code,
  src/plugins/priority/multifactor/priority_multifactor.c, _reset_usage, of 22.05 to 26.05.

slurmdbd remembers every run. So each limit is set to slurmctld's count plus what is really left. `settle` runs every
minute, but changes limits only after slurmctld or the description has changed, and around the turn of a month.
"""

import argparse
import datetime
import hashlib
import os
import re
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.bill.node.associations import Association, associations
from hpc_components.bill.node.described import FILE, Described, read
from hpc_components.bill.node.slurm_commands import output_of
from hpc_components.bill.node.spending import runs_since, spent, without_lost
from hpc_components.bill.node.standing import next_month
from hpc_components.bill.node.verb import Verb

DECAY = Path("/var/lib/hpc/slurmctld/priority_last_decay_ran")
"""slurmctld's record of when it last counted usage and when it last reset it: two times, 8 bytes each, the most
significant byte first. Source: Slurm source code, _write_last_decay_ran, 22.05 to 25.11."""

DONE = Path("/var/lib/hpc/budgets.settled")

GUARD_SECONDS = 600
"""Seconds before the end of a month from which each run limits totals as if usage were reset already."""

WAIT_SECONDS = 90
"""Seconds to wait until slurmctld has counted usage since it started, which it does every minute."""

LONG_AGO = 86400.0
"""A time before any job. `sacct` would take the time 0 for its default, today."""

FRESH_SECONDS = 55
"""slurmctld counts every 60 seconds (PriorityCalcPeriod). Its count and the time of its count are read when it is not
about to count again."""


@dataclass(frozen=True)
class Counted:
    """When slurmctld last counted usage, and when it last reset it."""

    at: int
    reset: int


def counted() -> Counted:
    """Return times of 0 if slurmctld has not counted yet."""
    return Counted(*struct.unpack(">qq", DECAY.read_bytes()[:16])) if DECAY.exists() else Counted(0, 0)


def limit_of(used: int, left: int, *, will_be_reset: bool) -> int:
    """Return the limit that lets new jobs spend what is left, beyond what slurmctld has counted as used."""
    return max(0, left if will_be_reset else used + left)


def month_of(now: float) -> float:
    """Return the time at which the month began, in the time zone of slurmctld, which is the machine's."""
    day = datetime.datetime.fromtimestamp(now)
    return day.replace(day=1, hour=0, minute=0, second=0, microsecond=0).timestamp()


def is_near_reset(now: float, reset: float) -> bool:
    """Return whether slurmctld will soon reset usage, or has not done so yet in this month."""
    following = next_month(datetime.datetime.fromtimestamp(now).date())
    end = datetime.datetime.combine(following, datetime.time()).timestamp()
    return now > end - GUARD_SECONDS or reset < month_of(now)


def _settle(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise OSError("only root can set limits")
    described, began = read(), _start_of_slurmctld()
    usage = _counted_since(began)
    guard = any(one.period == "month" for one in described.budgets) and is_near_reset(time.time(), usage.reset)
    state = f"{began:.0f} {usage.reset} {guard} {hashlib.sha256(FILE.read_bytes()).hexdigest()}"
    if not (guard or options.all) and DONE.exists() and DONE.read_text(encoding="utf-8") == state:
        return 0
    changed = sum(_set_limit(described.cluster, *one) for one in _limits(described, began, guard=guard))
    DONE.write_text(state, encoding="utf-8")
    print(f"{changed} of {len(described.budgets)} limits changed")
    return 0


def _start_of_slurmctld() -> float:
    said = re.search(r"^BOOT_TIME\s*= (\S+)", output_of("scontrol", "show", "config"), re.MULTILINE)
    return datetime.datetime.fromisoformat(said[1]).timestamp() if said else 0.0


def _counted_since(start: float) -> Counted:
    """Wait until slurmctld has counted usage after its start."""
    _wait_until(lambda: counted().at >= start, "slurmctld has not counted usage since it started")
    return counted()


def _limits(described: Described, began: float, *, guard: bool) -> Sequence[tuple[Association, int]]:
    """Return the associations of budgets, with the limits that they should have.

    slurmctld's count is read before slurmdbd's records, which then contain every run that the count contains.
    """
    _wait_until(lambda: time.time() - counted().at < FRESH_SECONDS, "slurmctld no longer counts usage")
    usage, found = counted(), associations()
    _wait_until(_records_are_complete, "slurmdbd has not received all records yet")
    parents = {one.account: one.parent for one in found.values() if not one.user}
    since: Mapping[str, float] = {"month": month_of(usage.at), "total": LONG_AGO}
    running = output_of("squeue", "-h", "-a", "-r", "-t", "R,S,CG,CF,ST,SI,RS,SO", "-o", "%A").split()
    periods = {one.period for one in described.budgets}
    runs = {period: without_lost(runs_since(since[period]), running, began) for period in periods}
    spendings = {period: spent(runs[period], parents, since[period], usage.at) for period in runs}
    return [
        (
            found[one.association],
            limit_of(
                found[one.association].used,
                one.micros - spendings[one.period].get(one.association, 0),
                will_be_reset=guard and one.period == "total",
            ),
        )
        for one in described.budgets
        if one.association in found
    ]


def _records_are_complete() -> bool:
    """Return whether slurmdbd has everything that slurmctld has for it. Otherwise spending would seem smaller."""
    return re.search(r"DBD Agent queue size:\s*0\b", output_of("sdiag")) is not None


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
