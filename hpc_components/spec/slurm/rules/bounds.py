from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.bounds import slurm_bounds
from hpc_components.spec.slurm.settings import MAX_JOB_COUNT, Setting, global_settings, settings_of
from hpc_components.spec.slurm.values import number

PRIORITIES = ("Age", "Assoc", "Fairshare", "JobSize", "Partition", "QOS")
"""Factors in a job's priority: the suffixes of the `PriorityWeight...` keys."""

MAX_PRIORITY = 2**32 - 1

DEFAULT_MESSAGE_TIMEOUT_SECONDS = 10
"""Slurm's default MessageTimeout. Source: slurm.conf(5), MessageTimeout."""

EXCLUSIVE = {
    "partition": (
        ("AllowAccounts", "DenyAccounts"),
        ("AllowQos", "DenyQos"),
        ("DefMemPerNode", "DefMemPerCPU"),
        ("MaxMemPerNode", "MaxMemPerCPU"),
        ("Priority", "PriorityTier"),
        ("Priority", "PriorityJobFactor"),
    ),
    "global": (("DefMemPerNode", "DefMemPerCPU"), ("MaxMemPerNode", "MaxMemPerCPU")),
}
"""Pairs of keys. If both are set in the same place, Slurm uses the first and ignores the second. Source: Slurm source
code, src/common/read_config.c."""


COMPANIONS = {
    "HealthCheckProgram": "HealthCheckInterval",
    "HealthCheckInterval": "HealthCheckProgram",
    "JobCompLoc": "JobCompType",
    "MCSParameters": "MCSPlugin",
    "PreemptExemptTime": "PreemptType",
}
"""Maps each key to the companion key without which it has no effect. Source: slurm.conf(5) of 22.05 to 25.11."""

FATAL_ALONE = ("MCSParameters",)
"""Keys that prevent slurmctld from starting if their companion is missing. Source: Slurm source code,
src/common/read_config.c."""


@rule("HPC-SLM-026", Level.ERROR)
def setting_in_bounds(cluster: ClusterSpec) -> Iterator[Problem]:
    """Numeric Slurm settings must be within the range that Slurm accepts and uses unchanged.

    Depending on the setting, a number outside the range keeps slurmctld from starting or jobs from running. If Slurm
    replaces the number with another, the finding is only a warning. Source: Slurm source code,
    src/common/read_config.c and src/slurmctld/job_mgr.c; slurm.conf(5).
    """
    for setting in settings_of(cluster):
        bounds, value = slurm_bounds(setting.scope, setting.key), number(setting.text)
        if bounds is None or value is None or setting.type(cluster.slurm.version) is None:
            continue
        if bounds.least is not None and value < bounds.least:
            remedy = f"use {bounds.least} or more, or remove this setting"
        elif bounds.most is not None and value > bounds.most:
            remedy = f"use at most {bounds.most}"
        else:
            continue
        yield Problem(
            path=setting.path,
            value=setting.value,
            reason=f"{bounds.name} is {value:,}: {bounds.because}",
            remedy=remedy,
            level=Level.WARNING if bounds.outside == "changed" else None,
        )


@rule("HPC-SLM-027", Level.ERROR)
def one_of_two(cluster: ClusterSpec) -> Iterator[Problem]:
    """Two settings must not be combined if Slurm uses only one of them.

    For example, Slurm ignores DenyAccounts if AllowAccounts is set. Source: Slurm source code,
    src/common/read_config.c; slurm.conf(5).
    """
    places: dict[Path, dict[str, Setting]] = {}
    for setting in settings_of(cluster):
        places.setdefault(setting.path[:-1], {})[setting.key.lower()] = setting
    for settings in places.values():
        for read, ignored in EXCLUSIVE[next(iter(settings.values())).scope]:
            if read.lower() in settings and (other := settings.get(ignored.lower())):
                yield Problem(
                    path=other.path,
                    value=other.value,
                    reason=f"Slurm uses {read} and ignores {ignored}",
                    remedy=f"remove either {ignored} or {read}",
                )


@rule("HPC-SLM-028", Level.WARNING)
def arrays_fit(cluster: ClusterSpec) -> Iterator[Problem]:
    """MaxArraySize must not exceed MaxJobCount.

    As soon as an array is submitted, Slurm counts each of its tasks as a job, so an array with more tasks than
    MaxJobCount is refused outright. Source: slurm.conf(5), MaxArraySize, MaxJobCount; Slurm source code,
    src/slurmctld/job_mgr.c.
    """
    settings = global_settings(cluster)
    arrays, jobs = settings.get("maxarraysize"), settings.get("maxjobcount")
    tasks = number(arrays.text) if arrays else None
    kept = number(jobs.text) if jobs else MAX_JOB_COUNT
    if arrays and tasks and kept and tasks > kept:
        yield Problem(
            path=arrays.path,
            value=arrays.value,
            reason=f"the controller keeps at most {kept:,} jobs (MaxJobCount), so it refuses an array of {tasks:,} "
            "tasks",
            remedy=f"use at most {kept // 2}, or raise MaxJobCount, which takes more memory on the head node",
        )


@rule("HPC-SLM-029", Level.WARNING)
def priorities_fit(cluster: ClusterSpec) -> Iterator[Problem]:
    """Priority weights must take effect, and their sum must fit in 32 bits.

    A larger sum makes priorities overflow, and the most urgent job can end up last. With priority/basic, jobs are
    scheduled in submission order and weights are ignored. Source: Slurm source code, src/common/read_config.c,
    "PriorityWeight values too high"; slurm.conf(5), PriorityType.
    """
    settings = global_settings(cluster)
    weights = [one for name in PRIORITIES if (one := settings.get(f"priorityweight{name}".lower()))]
    type = settings.get("prioritytype")
    if type and type.text.lower() == "priority/basic" and any(number(one.text) for one in weights):
        yield Problem(
            path=type.path,
            value=type.value,
            reason=f"jobs are scheduled in submission order, so {weights[0].key} has no effect",
            remedy="remove PriorityType (with accounting, the default is priority/multifactor), or remove the "
            "weights",
        )
    total = sum(number(one.text) or 0 for one in weights)
    if total > MAX_PRIORITY:
        largest = max(weights, key=lambda one: number(one.text) or 0)
        yield Problem(
            path=largest.path,
            value=largest.value,
            reason=f"the weights add up to {total:,}, but the maximum is {MAX_PRIORITY:,}: priorities would overflow",
            remedy="use smaller weights, e.g. 1000 to 100000; only their ratio matters",
        )


@rule("HPC-SLM-037", Level.WARNING)
def with_companion(cluster: ClusterSpec) -> Iterator[Problem]:
    """A setting that requires another one must not be set alone.

    For example, a HealthCheckProgram never runs unless HealthCheckInterval is set. Source: slurm.conf(5), text of
    each key; Slurm source code, src/common/read_config.c.
    """
    settings = global_settings(cluster)
    for name, other in COMPANIONS.items():
        setting = settings.get(name.lower())
        if name == "HealthCheckInterval" and cluster.health.running:
            continue  # the package's own program has the interval
        if setting and number(setting.text) != 0 and other.lower() not in settings:
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"without {other}, "
                + ("slurmctld does not start" if name in FATAL_ALONE else f"{name} has no effect"),
                remedy=f"add {other}, or remove this setting",
                level=Level.ERROR if name in FATAL_ALONE else None,
            )


@rule("HPC-SLM-038", Level.WARNING)
def time_to_kill(cluster: ClusterSpec) -> Iterator[Problem]:
    """UnkillableStepTimeout should be at least five times MessageTimeout.

    Otherwise a node is drained while slurmd and slurmctld are still exchanging messages about the end of a job.
    Source: slurm.conf(5) of 24.11, UnkillableStepTimeout.
    """
    settings = global_settings(cluster)
    given, message = settings.get("unkillablesteptimeout"), settings.get("messagetimeout")
    time, longest = (
        number(given.text) if given else None,
        number(message.text) if message else DEFAULT_MESSAGE_TIMEOUT_SECONDS,
    )
    if given and time is not None and longest and time < 5 * longest:
        yield Problem(
            path=given.path,
            value=given.value,
            reason=f"the value is less than five times MessageTimeout ({longest} s), so nodes are drained too early",
            remedy=f"use {5 * longest} or more, or remove this setting",
        )
