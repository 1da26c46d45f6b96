"""Rules on the time limits of jobs."""

from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm import Accounting
from hpc_components.spec.slurm.account_tree import qos_of, usable_qos
from hpc_components.spec.slurm.rules._accounting import QOS, described
from hpc_components.spec.slurm.rules.queue_access import lets_in_qos
from hpc_components.spec.slurm.settings import Setting, max_time, queue_settings
from hpc_components.spec.slurm.times import minutes
from hpc_components.wording import any_of

__all__: list[str] = []

ENDLESS = float("inf")

DAY, HOUR = 1440, 60
BOOT = 10
"""Minutes. A lower time limit was probably not meant in minutes; the figure is ours."""


@rule("HPC-SLM-017", Level.WARNING)
def default_time(cluster: ClusterSpec) -> Iterator[Problem]:
    """A partition's default time is not more than its longest, and neither is close to zero.

    Slurm ignores a default above the longest time, and jobs that name none get the longest. With a longest
    time of 0 it refuses every job, with a default of 0 those that name none: then this is an error. Source:
    slurm.conf(5), DefaultTime; Slurm's own source, src/slurmctld/read_config.c and job_mgr.c.
    """
    for index in range(len(cluster.queues)):
        longest, default = _time(cluster, index, "maxtime"), _time(cluster, index, "defaulttime")
        for given, which in ((longest, "every job is refused"), (default, "a job that names no time is refused")):
            if given and given[1] == 0:
                yield Problem(
                    path=given[0].path,
                    value=given[0].value,
                    reason=f"0 minutes is no time, and not no limit: {which}",
                    remedy="write INFINITE for no limit, or a time: 1-00:00:00"
                    if given is longest
                    else "use 1:00:00",
                    level=Level.ERROR,
                )
        if longest and 0 < longest[1] < BOOT and str(longest[0].value).isdecimal():
            yield Problem(
                path=longest[0].path,
                value=longest[0].value,
                reason=f"that is {longest[1]:g} minutes, less than a machine takes to boot",
                remedy=f"write {longest[0].value}-0 for days, {longest[0].value}:00:00 for hours; or 0:10:00 or more",
            )
        if default and longest and default[1] > longest[1] > 0:
            yield Problem(
                path=default[0].path,
                value=default[0].value,
                reason=f"jobs without a time get {default[0].value}, more than the partition's MaxTime allows",
                remedy=f"use at most {longest[0].value}",
            )


@rule("HPC-SLM-025", Level.INFO)
def time_limits(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue limits the time of its jobs: by `MaxTime`, or by their QoS.

    A partition has no limit unless one is set. A job that hangs is then paid for until somebody sees it, and the
    scheduler can't tell when nodes will be free, so it can't plan for jobs that need many. Source: slurm.conf(5),
    MaxTime; Slurm's scheduling configuration guide, "Backfill Scheduling".
    """
    accounting = described(cluster)
    by_account = _jobs_are_limited(accounting)
    endless = [
        (index, queue)
        for index, queue in enumerate(cluster.queues)
        if not by_account and max_time(queue) == ENDLESS and _longest_of(queue.qos, accounting) is None
    ]
    if endless:
        names = any_of([queue.name for _, queue in endless], most=6)
        yield Problem(
            path=("queues", endless[0][0]),
            places=tuple(("queues", index) for index, _ in endless),
            reason=f"a job of {names} may run for ever: one that hangs is paid for until somebody sees it, and "
            "the scheduler can't plan for large jobs",
            remedy="add slurm: {MaxTime: 7-0, DefaultTime: 1-0} to the queue: a job's longest time, and that of one "
            "that names none",
        )


@rule("HPC-ACC-009", Level.WARNING)
def time_of_jobs_that_name_none(cluster: ClusterSpec) -> Iterator[Problem]:
    """Where a QoS allows longer jobs than a queue, the queue has a `DefaultTime`.

    A job that names no time gets that of its QoS, which is too long for the queue, and is refused: "Requested
    partition configuration not available now". Source: run on Slurm 22.05 and 24.11.
    """
    longest = {name: qos.max_wall for name, qos in described(cluster).qos.items() if qos.max_wall}
    for index, queue in enumerate(cluster.queues):
        keys = {key.lower(): key for key in queue.slurm}
        most = max_time(queue)
        over = [name for name, wall in longest.items() if most is not None and wall.seconds / 60 > most > 0]
        if over and "defaulttime" not in keys:
            yield Problem(
                path=("queues", index, "slurm", keys["maxtime"]),
                value=queue.slurm[keys["maxtime"]],
                reason=f"a job of QoS {any_of(over)} that names no time is refused: it gets the time of its QoS",
                remedy=f"add DefaultTime: {queue.slurm[keys['maxtime']]} beside it",
            )


@rule("HPC-ACC-017", Level.WARNING)
def time_of_qos_is_had(cluster: ClusterSpec) -> Iterator[Problem]:
    """Some queue takes the longest job of each QoS.

    A job may be as long as both its QoS and its queue allow: if every queue allows less, no job gets the time of the
    QoS. Source: slurm.conf(5), MaxTime; sacctmgr(1), MaxWallDurationPerJob, PartitionTimeLimit.
    """
    accounting = described(cluster)
    usable = usable_qos(accounting.accounts)
    for name, qos in accounting.qos.items():
        wall = _longest_of(name, accounting)
        if wall is None or "PartitionTimeLimit" in qos.flags:
            continue
        queues = [one for one in cluster.queues if one.qos == name or (name in usable and lets_in_qos(one, name))]
        times = {one.name: _most(one, name, accounting) for one in queues}
        longest = max(times, key=lambda one: times[one], default=None)
        if longest is not None and 0 < times[longest] < wall:
            yield Problem(
                path=(*QOS, name, "max_wall"),
                value=str(qos.max_wall),
                reason=f"no queue takes a job that long: the longest is {_written(times[longest])}, in {longest}",
                remedy=f"use max_wall: {_written(times[longest])}, or raise MaxTime of {longest}",
            )


@rule("HPC-ACC-018", Level.WARNING)
def default_time_of_qos(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's default time is one that the default QoS of its accounts allows.

    Slurm gives such a job the queue's DefaultTime, and then applies the limit of its QoS: the job waits for ever, or
    is refused with `DenyOnLimit`. Source: Slurm's own source, src/slurmctld/job_mgr.c and acct_policy.c.
    """
    accounting = described(cluster)
    own = {name: qos_of(name, accounting.accounts)[0] for name, one in accounting.accounts.items() if one.users}
    for index, queue in enumerate(cluster.queues):
        default = _time(cluster, index, "defaulttime")
        short = {
            name: qos
            for name, qos in own.items()
            if default and lets_in_qos(queue, qos) and default[1] > _wall(queue, qos, accounting)
        }
        if default and short:
            qos = next(iter(short.values()))
            yield Problem(
                path=default[0].path,
                value=default[0].value,
                reason=f"a job of account {any_of(short)} that names neither time nor QoS gets {default[0].value}, "
                f"and QoS {qos} allows {_written(_wall(queue, qos, accounting))}",
                remedy="use a DefaultTime that each of them allows, or leave it out where MaxTime is no shorter",
            )


@rule("HPC-SLM-036", Level.INFO)
def two_parts_are_minutes(cluster: ClusterSpec) -> Iterator[Problem]:
    """A time of two parts is minutes and seconds.

    `24:00` is 24 minutes to Slurm, a day is `24:00:00` or `1-0`. Source: slurm.conf(5), MaxTime.
    """
    for index in range(len(cluster.queues)):
        for found in (_time(cluster, index, "maxtime"), _time(cluster, index, "defaulttime")):
            text = found[0].text if found else ""
            if found and text.count(":") == 1 and "-" not in text and text.endswith(":00"):
                yield Problem(
                    path=found[0].path,
                    value=found[0].value,
                    reason=f"{text} is {found[1]:g} minutes to Slurm",
                    remedy=f"write {text}:00 if hours were meant, or {found[1]:g}",
                )


def _time(cluster: ClusterSpec, index: int, key: str) -> tuple[Setting, float] | None:
    """A time among the settings of a partition, with its minutes; None where it is not there, or is no time."""
    setting = next((one for name, one in queue_settings(cluster, index).items() if name.lower() == key), None)
    found = minutes(setting.text) if setting else None
    return None if setting is None or found is None else (setting, found)


def _longest_of(qos: str | None, accounting: Accounting) -> float | None:
    """Minutes that jobs of a QoS may run; None without a limit. Limits of QoS hold where there are accounts."""
    found = accounting.qos.get(qos) if qos and accounting.accounts else None
    return found.max_wall.seconds / 60 if found and found.max_wall else None


def _wall(queue: Queue, qos: str, accounting: Accounting) -> float:
    """Minutes that a QoS allows a job in a queue, whose own QoS goes before the job's unless that says otherwise."""
    found = accounting.qos.get(qos)
    over = found is not None and "OverPartQOS" in found.flags
    limits = [_longest_of(one, accounting) for one in ((qos, queue.qos) if over else (queue.qos, qos))]
    return next((limit for limit in limits if limit is not None), ENDLESS)


def _most(queue: Queue, qos: str, accounting: Accounting) -> float:
    """Minutes that a job of a QoS may run in a queue: by its MaxTime, and by its own QoS where that goes before."""
    most = max_time(queue)
    found = accounting.qos.get(qos)
    own = None if found and "OverPartQOS" in found.flags else _longest_of(queue.qos, accounting)
    return min(ENDLESS if most is None else most, ENDLESS if own is None else own)


def _jobs_are_limited(accounting: Accounting) -> bool:
    """Whether every QoS that a job can have by its account has a longest time."""
    usable = usable_qos(accounting.accounts)
    return bool(usable) and all(_longest_of(qos, accounting) is not None for qos in usable)


def _written(time: float) -> str:
    """Minutes as a description has them: `2d`, `36h`, `90m`."""
    if time % DAY == 0:
        return f"{time // DAY:.0f}d"
    return f"{time // HOUR:.0f}h" if time % HOUR == 0 else f"{time:.0f}m"
