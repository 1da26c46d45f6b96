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

ENDLESS = float("inf")

DAY, HOUR = 1440, 60
MIN_TIME_LIMIT_MINUTES = 10
"""Shortest plausible time limit. A lower number was probably not meant in minutes. The figure is our own choice."""


@rule("HPC-SLM-017", Level.WARNING)
def default_time(cluster: ClusterSpec) -> Iterator[Problem]:
    """A partition's default time must not exceed its maximum time, and neither should be close to zero.

    Slurm ignores a default above the maximum, so jobs without a time limit get the maximum. Zero is an error: with a
    maximum of 0, Slurm refuses every job; with a default of 0, it refuses jobs without a time limit. Source:
    slurm.conf(5), DefaultTime; Slurm source code, src/slurmctld/read_config.c and job_mgr.c.
    """
    for index in range(len(cluster.queues)):
        longest, default = _time(cluster, index, "maxtime"), _time(cluster, index, "defaulttime")
        for given, which in ((longest, "every job is refused"), (default, "jobs without a time limit are refused")):
            if given and given[1] == 0:
                yield Problem(
                    path=given[0].path,
                    value=given[0].value,
                    reason=f"0 does not mean no limit: {which}",
                    remedy="write INFINITE for no limit, or a time such as 1-00:00:00"
                    if given is longest
                    else "use 1:00:00",
                    level=Level.ERROR,
                )
        if longest and 0 < longest[1] < MIN_TIME_LIMIT_MINUTES and str(longest[0].value).isdecimal():
            yield Problem(
                path=longest[0].path,
                value=longest[0].value,
                reason=f"that is {longest[1]:g} minutes, which is less than a machine takes to boot",
                remedy=f"write {longest[0].value}-0 for days or {longest[0].value}:00:00 for hours, or use at least "
                "0:10:00",
            )
        if default and longest and default[1] > longest[1] > 0:
            yield Problem(
                path=default[0].path,
                value=default[0].value,
                reason=f"jobs without a time limit get {default[0].value}, which is more than the partition's "
                "MaxTime allows",
                remedy=f"use at most {longest[0].value}",
            )


@rule("HPC-SLM-025", Level.INFO)
def time_limits(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue should limit the run time of its jobs, either by `MaxTime` or by QoS.

    Without a limit, a job that hangs is billed until someone notices. The scheduler also can't predict when nodes
    will be free, so it can't plan for jobs that need many nodes. Source: slurm.conf(5), MaxTime; Slurm's scheduling
    configuration guide, "Backfill Scheduling".
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
            reason=f"jobs in {names} have no time limit: a job that hangs is billed until someone notices, and the "
            "scheduler can't plan for large jobs",
            remedy="add slurm: {MaxTime: 7-0, DefaultTime: 1-0} to the queue, to limit jobs to 7 days, or 1 day if "
            "they request no time",
        )


@rule("HPC-ACC-009", Level.WARNING)
def time_of_jobs_that_name_none(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue should have a `DefaultTime` if a QoS allows longer jobs than the queue does.

    A job that requests no time gets its QoS's limit, which is too long for the queue, so Slurm refuses the job:
    "Requested partition configuration not available now". Source: run on Slurm 22.05 and 24.11.
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
                reason=f"a job with QoS {any_of(over)} that requests no time is refused, because it gets the time "
                "limit of its QoS, which exceeds the queue's MaxTime",
                remedy=f"add DefaultTime: {queue.slurm[keys['maxtime']]} to the queue",
            )


@rule("HPC-ACC-017", Level.WARNING)
def time_of_qos_is_had(cluster: ClusterSpec) -> Iterator[Problem]:
    """At least one queue should allow jobs to run as long as their QoS permits.

    Both the QoS and the queue limit a job's time, so if every queue allows less, no job can use the QoS's full time.
    Source: slurm.conf(5), MaxTime; sacctmgr(1), MaxWallDurationPerJob, PartitionTimeLimit.
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
                reason=f"no queue admits jobs that long: the maximum is {_written(times[longest])}, in queue "
                f"{longest}",
                remedy=f"use max_wall: {_written(times[longest])}, or raise MaxTime of queue {longest}",
            )


@rule("HPC-ACC-018", Level.WARNING)
def default_time_of_qos(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's default time must not exceed the limit set by the default QoS of any account that uses the queue.

    A job that requests no time gets the queue's DefaultTime. If the time exceeds the QoS's limit, the job never
    starts or, with `DenyOnLimit`, is refused. Source: Slurm source code, src/slurmctld/job_mgr.c and acct_policy.c.
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
                reason=f"a job of account {any_of(short)} that requests neither time nor QoS gets "
                f"{default[0].value}, but QoS {qos} allows only {_written(_wall(queue, qos, accounting))}",
                remedy="use a DefaultTime that the default QoS of every account allows, or remove DefaultTime, "
                "unless MaxTime is shorter than the limits of these QoS",
            )


@rule("HPC-SLM-036", Level.INFO)
def two_parts_are_minutes(cluster: ClusterSpec) -> Iterator[Problem]:
    """A time with two parts should be minutes and seconds, not hours and minutes.

    Slurm reads `24:00` as 24 minutes; for a day, write `24:00:00` or `1-0`. Source: slurm.conf(5), MaxTime.
    """
    for index in range(len(cluster.queues)):
        for found in (_time(cluster, index, "maxtime"), _time(cluster, index, "defaulttime")):
            text = found[0].text if found else ""
            if found and text.count(":") == 1 and "-" not in text and text.endswith(":00"):
                yield Problem(
                    path=found[0].path,
                    value=found[0].value,
                    reason=f"Slurm reads {text} as {found[1]:g} minutes",
                    remedy=f"write {text}:00 if you meant hours, or {found[1]:g} if you meant minutes",
                )


def _time(cluster: ClusterSpec, index: int, key: str) -> tuple[Setting, float] | None:
    """Return (setting, minutes) for a queue's own setting, or None if the setting is missing or malformed."""
    setting = next((one for name, one in queue_settings(cluster, index).items() if name.lower() == key), None)
    found = minutes(setting.text) if setting else None
    return None if setting is None or found is None else (setting, found)


def _longest_of(qos: str | None, accounting: Accounting) -> float | None:
    """Return a QoS's maximum run time in minutes, or None if the QoS has no limit or the cluster has no accounts."""
    found = accounting.qos.get(qos) if qos and accounting.accounts else None
    return found.max_wall.seconds / 60 if found and found.max_wall else None


def _wall(queue: Queue, qos: str, accounting: Accounting) -> float:
    """Return how many minutes a job with the QoS `qos` may run in a queue, considering only QoS limits. The queue's
    own QoS takes precedence over `qos`, unless `qos` has the flag `OverPartQOS`.
    """
    found = accounting.qos.get(qos)
    over = found is not None and "OverPartQOS" in found.flags
    limits = [_longest_of(one, accounting) for one in ((qos, queue.qos) if over else (queue.qos, qos))]
    return next((limit for limit in limits if limit is not None), ENDLESS)


def _most(queue: Queue, qos: str, accounting: Accounting) -> float:
    """Return how many minutes a queue allows a job with the QoS `qos` to run: the lower of MaxTime and the limit of
    the queue's own QoS. The queue's QoS is ignored if `qos` has the flag `OverPartQOS`.
    """
    most = max_time(queue)
    found = accounting.qos.get(qos)
    own = None if found and "OverPartQOS" in found.flags else _longest_of(queue.qos, accounting)
    return min(ENDLESS if most is None else most, ENDLESS if own is None else own)


def _jobs_are_limited(accounting: Accounting) -> bool:
    usable = usable_qos(accounting.accounts)
    return bool(usable) and all(_longest_of(qos, accounting) is not None for qos in usable)


def _written(time: float) -> str:
    """Format a number of minutes as in a description, e.g. `2d`, `36h` or `90m`."""
    if time % DAY == 0:
        return f"{time // DAY:.0f}d"
    return f"{time // HOUR:.0f}h" if time % HOUR == 0 else f"{time:.0f}m"
