import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.keys import Scope, slurm_key, slurm_keys
from hpc_components.spec.slurm.ownership import additions, owned
from hpc_components.spec.slurm.packages import own_slurm
from hpc_components.spec.slurm.settings import settings_of
from hpc_components.spec.slurm.times import is_slurm_time, minutes, proposed_time
from hpc_components.spec.slurm.values import wrong_value
from hpc_components.wording import any_of, did_you_mean

TIMES = {
    "partition": ("MaxTime", "DefaultTime"),
    "global": ("PriorityDecayHalfLife", "PriorityMaxAge", "PriorityCalcPeriod", "PreemptExemptTime"),
}
"""Keys whose values Slurm parses as times. Source: Slurm source code, src/common/read_config.c of 22.05 to 25.11."""


LONG_TIMES = ("PriorityDecayHalfLife", "PriorityMaxAge")
"""Keys whose times are usually days or weeks. Slurm's default for both is a week."""

HOUR_MINUTES = 60


@rule("HPC-SLM-001", Level.ERROR)
def known_setting(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every key under `slurm.settings` must be a slurm.conf key.

    slurmctld does not start if slurm.conf contains an unknown key, and all nodes wait for slurmctld. Source: Slurm
    source code, src/common/read_config.c.
    """
    for setting in settings_of(cluster):
        if setting.scope == "global" and setting.known is None:
            if partition := slurm_key("partition", setting.key):
                remedy = f"{partition.name} is a partition key: put it under the slurm key of a queue"
            else:
                remedy = _did_you_mean(setting.key, "global", cluster.slurm.version)
            yield Problem(
                path=setting.path, reason=f"slurm.conf has no key {setting.key!r} in any Slurm release", remedy=remedy
            )


@rule("HPC-SLM-002", Level.ERROR)
def known_partition_setting(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every key under a queue's `slurm` must be a partition key.

    slurmctld does not start if slurm.conf contains an unknown key. Source: Slurm source code,
    src/common/read_config.c.
    """
    for setting in settings_of(cluster):
        if setting.scope == "partition" and setting.known is None and not owned(setting):
            whole, node = slurm_key("global", setting.key), slurm_key("node", setting.key)
            if whole:
                remedy = f"{whole.name} applies to the whole cluster: put it under slurm.settings"
            elif node:
                remedy = "remove it: node keys are derived from the machine type"
            else:
                remedy = _did_you_mean(setting.key, "partition", cluster.slurm.version)
            yield Problem(
                path=setting.path,
                reason=f"partitions have no key {setting.key!r} in any Slurm release",
                remedy=remedy,
            )


@rule("HPC-SLM-003", Level.ERROR)
def setting_of_release(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every key must exist in the cluster's Slurm release.

    Source: Slurm source code, src/common/read_config.c of each release.
    """
    version = cluster.slurm.version
    for setting in settings_of(cluster):
        if setting.known is None or owned(setting):
            continue
        type = setting.type(version)
        free = not cluster.slurm.of_system
        having = [release for release, one in setting.known.types.items() if one != "removed"]
        can = [release for release in having if free or release == own_slurm(cluster.os)]
        if type == "removed":
            reason = f"{setting.known.name} was removed from Slurm"
            remedy = (
                f"remove it (Slurm {having[-1]} was the last release with this key)" if having else "leave it out"
            )
        elif type is None:
            only = f", only in {', '.join(having)}" if having else ""
            reason = f"{setting.known.name} does not exist in Slurm {version}{only}"
            elsewhere = (
                f"remove it; only other releases such as Slurm {having[-1]} have this key"
                if having
                else "leave it out"
            )
            remedy = f'remove it, or use slurm.version: "{can[-1]}"' if can else elsewhere
        else:
            continue
        yield Problem(path=setting.path, reason=reason, remedy=remedy)


@rule("HPC-SLM-004", Level.ERROR)
def setting_not_ours(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm settings must not contradict other keys of the description.

    Settings for power saving, addresses, nodes, authentication and job confinement depend on each other and are
    derived from the description. Only certain words may be added to PrivateData, PrologFlags and LaunchParameters.
    Source: ParallelCluster 3.16, which denies most of these; Slurm's power saving guide.
    """
    for setting in settings_of(cluster):
        if instead := owned(setting):
            yield Problem(
                path=setting.path,
                reason=f"{setting.key} is derived from other keys of the description",
                remedy=instead,
            )
        words = additions(setting)
        known = {word.lower() for word in words}
        for word in setting.text.split(",") if words else ():
            if word.lower() not in known:
                yield Problem(
                    path=setting.path,
                    value=setting.value,
                    reason=f"{word!r} can't be added to {setting.key}, which is derived from other keys of the "
                    "description",
                    remedy=f"use {any_of(words)}",
                )


@rule("HPC-SLM-005", Level.ERROR)
def setting_value(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every value must be of the type that Slurm expects, such as a number or a yes/no value.

    Source: Slurm source code, src/common/parse_value.c.
    """
    for setting in settings_of(cluster):
        type = setting.type(cluster.slurm.version)
        if type is None or owned(setting):
            continue
        if wrong := wrong_value(type, setting.value):
            yield Problem(path=setting.path, value=setting.value, reason=wrong[0], remedy=wrong[1])


@rule("HPC-SLM-006", Level.ERROR)
def times(cluster: ClusterSpec) -> Iterator[Problem]:
    """Times must be in Slurm's notation: minutes, `hours:minutes:seconds`, or `days-hours`.

    slurmctld does not start if a time is in any other notation, such as our own `14d` (in Slurm's notation, `14-0`).
    A half-life or maximum age of less than an hour causes a warning, because the number was probably not meant in
    minutes. Source: slurm.conf(5), MaxTime; Slurm source code, src/common/parse_time.c and read_config.c; run on
    Slurm 22.05.
    """
    for setting in settings_of(cluster):
        if setting.known is None or setting.known.name not in TIMES.get(setting.scope, ()):
            continue
        proposed = proposed_time(setting.text)
        if not is_slurm_time(setting.text):
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"Slurm can't read {setting.value!r} as a time",
                remedy=f"use {proposed}" if proposed else "write minutes (90), 12:00:00, 2-00:00:00 or INFINITE",
            )
        elif setting.known.name in LONG_TIMES and setting.text.isdecimal() and 0 < int(setting.text) < HOUR_MINUTES:
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"Slurm reads {setting.text} as minutes, so past usage and job age hardly matter",
                remedy=f"write {setting.text}-0 if you meant days",
                level=Level.WARNING,
            )
        elif setting.known.name == "PriorityCalcPeriod" and minutes(setting.text) in (0, float("inf")):
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason="Slurm recalculates priorities at this interval, which must be finite and at least one minute",
                remedy="use 5, or remove this setting",
            )


@rule("HPC-SLM-007", Level.ERROR)
def setting_once(cluster: ClusterSpec) -> Iterator[Problem]:
    """A setting must not appear twice in different spellings.

    Slurm ignores the case of keys. Source: Slurm source code, src/common/parse_config.c.
    """
    first: dict[tuple[Path, str], str] = {}
    for setting in settings_of(cluster):
        place = (setting.path[:-1], setting.key.lower())
        if (other := first.setdefault(place, setting.key)) != setting.key:
            yield Problem(
                path=setting.path,
                reason=f"{setting.key} and {other} are the same key",
                remedy="remove one of them",
            )


@rule("HPC-SLM-008", Level.ERROR)
def setting_one_line(cluster: ClusterSpec) -> Iterator[Problem]:
    """A setting must have a single value on one line.

    A line break would start another key, `#` would start a comment, and a space would end a value that isn't in
    double quotes. Source: slurm.conf(5).
    """
    for setting in settings_of(cluster):
        text = str(setting.value)
        quoted = re.fullmatch(r'"[^"\n\r]*"', text)
        bad = next((sign for sign in ("\n", "\r", "#", '"', " ") if sign in text and not quoted), None)
        if bad is not None or not text:
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"it contains {bad!r}" if bad else "it is empty",
                remedy="leave it out"
                if not text
                else "write a single value; separate the items of a list with commas",
            )


@rule("HPC-SLM-020", Level.ERROR)
def script_of_submission(cluster: ClusterSpec) -> Iterator[Problem]:
    """JobSubmitPlugins must not contain `lua`, because job_submit.lua is generated from the description.

    With `lua` but without a script, slurmctld does not start. A description can't include a script, and the head node
    removes any script that was added by hand. If a queue has `requeue: false` or `gpu_sharing`, the plugin is enabled
    with our own script, which keeps the queue's jobs from being requeued and refuses jobs that don't fit on a GPU.
    Source: slurm.conf(5), JobSubmitPlugins; Slurm source code, src/plugins/job_submit/lua.
    """
    reasons = ["requeue: false" for queue in cluster.queues if not queue.requeue]
    reasons += ["gpu_sharing" for queue in cluster.queues if queue.gpu_sharing]
    for setting in settings_of(cluster):
        plugins = [name.removeprefix("job_submit/") for name in setting.text.split(",")]
        if setting.scope == "global" and setting.key.lower() == "jobsubmitplugins" and "lua" in plugins:
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"a queue has {reasons[0]}, which our own job_submit.lua handles; you can't add another script"
                if reasons
                else "the plugin's script, job_submit.lua, can't be added, and slurmctld does not start without a "
                "script",
                remedy="leave lua out" + (": the plugin is already enabled" if reasons else ""),
            )


def _did_you_mean(word: str, scope: Scope, version: str) -> str:
    known = [key.name for key in slurm_keys(scope).values() if key.types.get(version, "removed") != "removed"]
    return did_you_mean(word.replace("_", ""), known, "see `man slurm.conf`, or remove this key", cutoff=0.7)
