from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import Setting, global_settings, settings_of
from hpc_components.spec.slurm.times import minutes
from hpc_components.spec.slurm.words import SlurmWords, slurm_words
from hpc_components.wording import any_of, did_you_mean

ONE_OF = {
    "selecttypeparameters": (
        ("cr_core", "cr_core_memory", "cr_socket", "cr_socket_memory", "cr_cpu", "cr_cpu_memory", "cr_memory"),
        ("cr_cpu", "cr_one_task_per_core"),
        ("cr_cpu_memory", "cr_one_task_per_core"),
    ),
    "taskpluginparam": (
        ("none", "sockets", "cores", "threads"),
        ("autobind=none", "autobind=sockets", "autobind=cores", "autobind=threads"),
    ),
}
"""Maps keys to groups of mutually exclusive words. Source: Slurm source code, src/common/read_config.c of 22.05 to
25.11."""

MODES = {"off", "cluster", "cancel", "requeue", "on", "suspend"}
"""Preemption modes. PreemptMode must contain exactly one of them, and may also contain GANG, WITHIN and PRIORITY."""

CHOOSERS = {"preempt/qos", "preempt/partition_prio"}


@rule("HPC-SLM-022", Level.ERROR)
def known_words(cluster: ClusterSpec) -> Iterator[Problem]:
    """Settings with a fixed vocabulary must use only words that the Slurm release recognizes.

    For most of these settings, such as `DebugFlags`, `SelectTypeParameters` and `PriorityType`, an unknown word keeps
    slurmctld from starting. Unknown `PriorityFlags` are ignored. Source: Slurm source code of each release, in the
    files listed in the catalogue; run on Slurm 22.05.
    """
    for setting in settings_of(cluster):
        if known := slurm_words(setting.scope, setting.key):
            for word in known.unknown_words(setting.text, cluster.slurm.version):
                yield _unknown_word(setting, word, known, cluster)


def _unknown_word(setting: Setting, word: str, known: SlurmWords, cluster: ClusterSpec) -> Problem:
    version = cluster.slurm.version
    reason = f"Slurm {version} does not recognize {word!r} in {known.name}"
    if releases := known.releases(word):
        reason += f" (recognized by {', '.join(releases)})"
    if known.unknown == "ignored":
        reason += " and ignores it"
    remedy = did_you_mean(word, known.known(version), f"use {any_of(known.known(version), most=8)}")
    own = known.added and cluster.slurm.package_source is not None
    if own:
        remedy += " Or is it a plugin from your own packages?"
    unsure = own or known.unknown == "ignored"
    return Problem(
        path=setting.path,
        value=setting.value,
        reason=reason,
        remedy=remedy,
        level=Level.WARNING if unsure else None,
    )


@rule("HPC-SLM-023", Level.ERROR)
def preemption(cluster: ClusterSpec) -> Iterator[Problem]:
    """`PreemptType` (which jobs are preempted) and `PreemptMode` (what happens to them) must be set together.

    Otherwise slurmctld does not start: "PreemptType and PreemptMode values incompatible". A queue's PreemptMode
    without preempt/partition_prio is only a warning, because Slurm ignores the mode. Source: Slurm source code,
    src/common/read_config.c and slurm_protocol_defs.c of 22.05 to 25.11; run on Slurm 22.05; slurm.conf(5),
    PreemptMode.
    """
    for setting in settings_of(cluster):
        if setting.key.lower() == "preemptmode" and (wrong := _wrong_mode(setting)):
            yield Problem(path=setting.path, value=setting.value, reason=wrong[0], remedy=wrong[1])
    settings = global_settings(cluster)
    type, mode = settings.get("preempttype"), settings.get("preemptmode")
    yield from _unread_modes(cluster, type.text if type else "preempt/none")
    words = set(_modes(mode)) if mode else set()
    active = bool(words & (MODES - {"off", "cluster"}))
    if type and type.text in CHOOSERS and not active:
        at = mode or type
        yield Problem(
            path=at.path,
            value=at.value,
            reason=f"{type.text} selects jobs to preempt, but PreemptMode does not specify what happens to them",
            remedy="set PreemptMode to REQUEUE or CANCEL",
        )
    elif mode and (type is None or type.text == "preempt/none") and (active or words & {"within", "priority"}):
        yield Problem(
            path=mode.path,
            value=mode.value,
            reason="PreemptType does not specify which jobs to preempt",
            remedy="set PreemptType to preempt/qos or preempt/partition_prio, or remove PreemptMode",
        )


def _unread_modes(cluster: ClusterSpec, type: str) -> Iterator[Problem]:
    for setting in settings_of(cluster):
        unread = setting.scope == "partition" and setting.key.lower() == "preemptmode" and _modes(setting) != ["off"]
        if unread and type != "preempt/partition_prio":
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"with PreemptType {type}, Slurm ignores a queue's PreemptMode",
                remedy="add slurm.settings: {PreemptType: preempt/partition_prio, PreemptMode: REQUEUE}, or remove "
                "the queue's PreemptMode",
                level=Level.WARNING,
            )


def _modes(mode: Setting) -> list[str]:
    return [word for word in mode.text.lower().split(",") if word]


def _wrong_mode(mode: Setting) -> tuple[str, str] | None:
    words = _modes(mode)
    chosen = [word for word in words if word in MODES]
    if len(chosen) > 1:
        return f"a job can be preempted in only one way: {any_of(chosen)}", "keep one of them"
    for other in ("within", "priority"):
        if {"gang", other} <= set(words):
            return f"GANG and {other.upper()} are mutually exclusive", "keep one of them"
    if mode.scope == "global" and words in (["suspend"], ["on"]):
        return "only gang scheduling can suspend and resume jobs", "use REQUEUE, CANCEL or `SUSPEND,GANG`"
    return None


@rule("HPC-SLM-024", Level.ERROR)
def words_together(cluster: ClusterSpec) -> Iterator[Problem]:
    """Mutually exclusive settings must not be combined.

    slurmctld does not start if a setting specifies two allocation units or two task bindings. The same applies if
    usage never decays (`PriorityDecayHalfLife: 0`) and `PriorityUsageResetPeriod` is not set. Source: Slurm source
    code, src/common/read_config.c; run on Slurm 22.05.
    """
    settings = global_settings(cluster)
    for key, groups in ONE_OF.items():
        setting = settings.get(key)
        words = setting.text.split(",") if setting else ()
        for group in groups:
            clash = [word for word in words if word.lower() in group]
            if setting and len(clash) > 1:
                yield Problem(
                    path=setting.path,
                    value=setting.value,
                    reason=f"{' and '.join(clash)} are mutually exclusive",
                    remedy="keep one of them",
                )
    half_life = settings.get("prioritydecayhalflife")
    if half_life and minutes(half_life.text) == 0 and "priorityusageresetperiod" not in settings:
        yield Problem(
            path=half_life.path,
            value=half_life.value,
            reason="usage would never decay",
            remedy="add PriorityUsageResetPeriod: MONTHLY (or NONE, if usage should never decay), or use 7-0",
        )
