import math
from collections.abc import Callable, Iterator

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.node_capacity import node_capacity
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.rules._accounting import described
from hpc_components.spec.slurm.settings import Setting, global_settings, max_time, queue_value, settings_of
from hpc_components.spec.slurm.undone import Undone, undone_by
from hpc_components.wording import any_of

LIMIT_KEYS = ("MaxTime", "MaxNodes", "MinNodes", "MaxMemPerNode", "MaxMemPerCPU", "MaxCPUsPerNode")


@rule("HPC-SLM-040", Level.WARNING)
def settings_keep_what_is_described(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm settings must not undo other keys of the description, even if the settings are valid.

    For example, `priority/basic` disables account shares, `sched/builtin` wastes nodes that are billed by the second,
    and `SlurmdTimeout: 0` prevents requeueing. The table `undone` lists such settings and what each one undoes. A
    setting that keeps slurmctld from starting is an error. Source: slurm.conf(5) of 22.05 to 25.11, as cited in each
    record; where a bound is our own choice, it is far from Slurm's default.
    """
    reported: set[Path] = set()
    for setting in settings_of(cluster):
        for record in undone_by(setting):
            problem = _problem(cluster, setting, record) if setting.path not in reported else None
            if problem is not None:
                reported.add(setting.path)
                yield problem


def _problem(cluster: ClusterSpec, setting: Setting, record: Undone) -> Problem | None:
    value, bound = record.number_in(setting), _bound(cluster, record)
    if record.words or record.parts:
        undoes = record.has_words(setting)
    else:
        limit = bound if bound is not None else math.nan
        undoes = value is not None and (value < limit if record.below is not None else value > limit)
    what = PROMISES[record.beside](cluster, _queues(cluster, setting)) if undoes else None
    if what is None:
        return None
    in_list = record.parameter is not None or (record.parts and "," in setting.text)
    return Problem(
        path=setting.path,
        value=setting.value,
        reason=record.because.format(value=f"{value:,}" if value is not None else "", bound=bound, what=what),
        fix=(Change(setting.path, _without(setting, record) if in_list else record.instead),),
        level=record.level,
    )


def _without(setting: Setting, record: Undone) -> str | None:
    gone = {record.parameter, *record.parts}
    kept = [part for part in setting.text.split(",") if part.partition("=")[0].lower() not in gone]
    return ",".join(kept) or None


def _queues(cluster: ClusterSpec, setting: Setting) -> tuple[Queue, ...]:
    return (cluster.queues[int(setting.path[1])],) if setting.scope == "partition" else cluster.queues


def _bound(cluster: ClusterSpec, record: Undone) -> int | None:
    bound = record.below if record.below is not None else record.above
    return NUMBERS[bound](cluster) if isinstance(bound, str) else bound


def _longest_job(cluster: ClusterSpec) -> int | None:
    """Return the longest time limit in minutes, or None if there are no limits. The result is capped at 30 days,
    because the scheduler doesn't plan further ahead.
    """
    times = [time for queue in cluster.queues if (time := max_time(queue)) is not None and time != math.inf]
    times += [qos.max_wall.seconds / 60 for qos in described(cluster).qos.values() if qos.max_wall]
    return min(math.ceil(max(times)), 43_200) if times else None


def _most_cpus(cluster: ClusterSpec) -> int | None:
    return max((has.cpus for queue in cluster.queues if (has := node_capacity(queue))), default=None)


NUMBERS: dict[str, Callable[[ClusterSpec], int | None]] = {
    "all_nodes": lambda cluster: cluster.max_nodes,
    "longest_job": _longest_job,
    "most_cpus": _most_cpus,
    "spot_notice": lambda cluster: cloud_named(cluster.cloud).spot_notice_seconds,
}
"""Maps the names of bounds to functions that compute them for a cluster."""


def _shares(cluster: ClusterSpec, _: tuple[Queue, ...]) -> str | None:
    accounts = described(cluster).accounts
    shared = [name for name, account in accounts.items() if "fairshare" in account.model_fields_set]
    return f"fairshare of account {any_of(shared)}" if shared else None


def _qos_priority(cluster: ClusterSpec, _: tuple[Queue, ...]) -> str | None:
    first = [name for name, qos in described(cluster).qos.items() if qos.priority]
    return f"priority of QoS {any_of(first)}" if first else None


def _queue_priority(_: ClusterSpec, queues: tuple[Queue, ...]) -> str | None:
    first = [queue.name for queue in queues if queue_value(queue, "PriorityJobFactor") is not None]
    return f"PriorityJobFactor of queue {any_of(first)}" if first else None


def _shared_nodes(_: ClusterSpec, queues: tuple[Queue, ...]) -> str | None:
    shared = [one.name for one in queues if (queue_value(one, "OverSubscribe") or "").upper() != "EXCLUSIVE"]
    return f"queue {any_of(shared)}" if shared else None


def _limits(cluster: ClusterSpec, queues: tuple[Queue, ...]) -> str | None:
    limited = [
        f"{key} of queue {queue.name}"
        for queue in queues
        for key in LIMIT_KEYS
        if queue_value(queue, key) is not None
    ]
    limited += [f"max_wall of QoS {name}" for name, qos in described(cluster).qos.items() if qos.max_wall]
    return any_of(limited, most=2) if limited else None


def _requeue(_: ClusterSpec, queues: tuple[Queue, ...]) -> str | None:
    back = [queue.name for queue in queues if queue.requeue]
    return f"requeue of queue {any_of(back)}" if back else None


def _spot(_: ClusterSpec, queues: tuple[Queue, ...]) -> str | None:
    return "" if any(purchase_kind(queue) == "spot" for queue in queues) else None


def _no_completion_host(cluster: ClusterSpec, _: tuple[Queue, ...]) -> str | None:
    return None if "jobcomphost" in global_settings(cluster) else ""


PROMISES: dict[str, Callable[[ClusterSpec, tuple[Queue, ...]], str | None]] = {
    "always": lambda cluster, queues: "",
    "limits": _limits,
    "no_completion_host": _no_completion_host,
    "qos_priority": _qos_priority,
    "queue_priority": _queue_priority,
    "requeue": _requeue,
    "shared_nodes": _shared_nodes,
    "shares": _shares,
    "spot": _spot,
}
"""Maps each value of `Undone.beside` to a function that takes the cluster and the queues a setting applies to, and
describes what the setting undoes. The function returns None if the description contains nothing to undo."""
