"""Rules on how long a job may be."""

from collections.abc import Iterator

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import any_of
from hpc_components.spec.slurm import Accounting
from hpc_components.spec.slurm_settings import max_time

__all__: list[str] = []

ENDLESS = float("inf")

ALWAYS = "normal"
"""The QoS of accounts that name none, and whose parents name none."""


@rule("HPC-SLM-025", Level.INFO)
def time_limits(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue says how long a job may be: by `MaxTime`, or by the QoS that its jobs have.

    A partition has no limit by itself. A job that hangs is then paid for until somebody sees it, and the scheduler
    can't tell when nodes will be free, so it can't plan for jobs that need many. Source: slurm.conf(5), MaxTime;
    Slurm's scheduling configuration guide, "Backfill Scheduling".
    """
    accounting = cluster.slurm.accounting or Accounting()
    by_account = _jobs_are_limited(accounting)
    endless = [
        (index, queue)
        for index, queue in enumerate(cluster.queues)
        if not by_account and max_time(queue) == ENDLESS and not _is_limited(queue.qos, accounting)
    ]
    if endless:
        names = any_of([queue.name for _, queue in endless], most=6)
        yield Problem(
            path=("queues", endless[0][0]),
            reason=f"a job of {names} may run for ever: one that hangs is paid for until somebody sees it, and the "
            "scheduler can't plan for large jobs",
            remedy="add slurm: {MaxTime: 7-0, DefaultTime: 1-0} to the queue: a job's longest time, and that of one "
            "that names none",
        )


def _is_limited(qos: str | None, accounting: Accounting) -> bool:
    """Whether jobs of a QoS end; limits of QoS hold where there are accounts."""
    found = accounting.qos.get(qos) if qos and accounting.accounts else None
    return found is not None and found.max_wall is not None


def _jobs_are_limited(accounting: Accounting) -> bool:
    """Whether every QoS that a job can have by its account has a longest time."""
    return bool(accounting.accounts) and all(
        _is_limited(qos, accounting) for name in accounting.accounts for qos in _qos_of(name, accounting)
    )


def _qos_of(name: str, accounting: Accounting) -> tuple[str, ...]:
    """The QoS that jobs of an account can have: its own, or those of the nearest account above that names some."""
    seen: set[str] = set()
    while (account := accounting.accounts.get(name)) is not None and name not in seen:
        if account.qos:
            return account.qos
        seen.add(name)
        name = account.parent
    return (ALWAYS,)
