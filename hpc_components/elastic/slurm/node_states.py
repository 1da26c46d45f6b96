from enum import Enum

from hpc_components.elastic.model import Node
from hpc_components.elastic.slurm.reasons import REASON_PREFIX, Why


class SlurmState(Enum):
    """A node's state in Slurm, in as much detail as the daemon needs. The values are shown to operators."""

    # faster than Enum's hash, which is a Python function; every cycle looks up the state of every node
    __hash__ = object.__hash__

    ABSENT = "not in Slurm"
    OFF = "off"
    OFF_HELD = "off, held by an administrator"
    NO_CAPACITY = "off, set to down by us: no capacity"
    FAILED = "off, set to down by us"
    TIMED_OUT = "off, set to down by Slurm: ResumeTimeout"
    POWERING_UP = "powering up"
    UNWANTED = "powering up, but no job is waiting for it"
    CALLED_OFF = "powering up, then powering down"
    UP = "up"
    UP_NOT_RESPONDING = "up, not responding"
    UNPAID = "up, but the cluster's budget is spent"
    DRAINING = "drained by us or by Slurm itself, busy"
    DRAINING_NOT_RESPONDING = "drained by us or by Slurm itself, busy, not responding"
    PAID_AGAIN = "drained for the budget, which has money again; busy"
    DRAINED = "drained by us, idle"
    FAULTY = "refused or drained by Slurm itself, idle"
    HELD = "up, drained by an administrator"
    HELD_NOT_RESPONDING = "up, drained by an administrator, not responding"
    DOWN = "down, by us"
    SILENT = "down, by Slurm itself"
    DOWN_HELD = "down, by an administrator"
    POWERING_DOWN = "powering down"


RESUME_TIMEOUT = "ResumeTimeout reached"
"""Reason that Slurm sets on a node that did not register in time (slurmctld, power_save.c; seen on 22.05 and
24.11)."""
SILENCE = ("Not responding", "Node unexpectedly rebooted", "reboot timed out", RESUME_TIMEOUT)
"""Reasons that Slurm records when it sets a node to down. The first two have been observed in practice. Source:
strings in slurmctld 22.05.8 to 25.11.2."""
FAULTS = (
    "Kill task failed", "Prolog error", "Epilog error", "Prolog/Epilog failure", "batch job complete failure",
    "Duplicate jobid", "Job env setup error", "Job step not running", "SlurmdSpoolDir is full", "Bad core count",
    "switch_g_job_postfini failed", "Low RealMemory", "Low socket*core*thread count", "Low CPUs", "Low TmpDisk",
    "gres/", "Could not unpack gres data", "CoreSpec differ", "RestrictedCoresPerGPU",
)  # fmt: skip
"""Prefixes of the reasons that Slurm records when it drains a node that it won't resume on its own.
Source: callers of drain_nodes and stepd_drain_node, and validate_node_specs, in Slurm 22.05.8 to 25.11.2. Two full
examples are `gres/gpu count reported lower than configured (0 < 4)` and `Kill task failed (JobId=7 StepId=batch)`."""
NOT_RESPONDING = {
    SlurmState.UP: SlurmState.UP_NOT_RESPONDING,
    SlurmState.DRAINING: SlurmState.DRAINING_NOT_RESPONDING,
    SlurmState.HELD: SlurmState.HELD_NOT_RESPONDING,
}

_AND = " : "
"""Separator that Slurm 23.02 and later puts between the old reason and its own when it sets a node to down
(node_mgr.c, set_node_reason; seen on 24.11). The old reason may be outdated, because without accounting, `resume`
keeps it until a job is allocated the node."""
_BUSY = frozenset({"ALLOCATED", "MIXED", "COMPLETING"})
_CLOSED = tuple(REASON_PREFIX + why.value for why in Why)
"""Prefixes of the reasons set on nodes that are waiting for a pool."""


def slurm_state(node: Node, *, works: bool = False) -> SlurmState:
    """Combine a node's base state, flags and reason into a single state.

    The reason is considered only with DOWN or DRAIN, because Slurm may have kept an old reason in other states.

    `works` means that a job is running on the node. This argument is needed because a slurmctld that restarts from a
    state file older than the node's start shows the node as off but its job as running (seen on 22.05).
    """
    states = node.states
    if works and "POWERED_DOWN" in states and is_busy(node) and not {"DOWN", "DRAIN"} & states:
        return SlurmState.UP_NOT_RESPONDING
    if "POWERING_DOWN" in states:
        return SlurmState.POWERING_DOWN
    if "POWERED_DOWN" in states:
        return _off(node)
    if "POWER_DOWN" in states and "POWERING_UP" not in states and not is_busy(node):
        return SlurmState.POWERING_DOWN
    if "DOWN" in states:
        return _down(node)
    if "POWERING_UP" in states:
        called_off = "POWER_DOWN" in states and "DRAIN" not in states and not is_busy(node)
        return SlurmState.CALLED_OFF if called_off else SlurmState.POWERING_UP
    state = _registered(node)
    return NOT_RESPONDING.get(state, state) if "NOT_RESPONDING" in states else state


def is_busy(node: Node) -> bool:
    """Return whether a job is running on the node or is still completing.

    If Slurm has refused the node, COMPLETING is ignored: such a node is never told to end its job, so 22.05 shows it
    as COMPLETING indefinitely.
    """
    busy = not _BUSY.isdisjoint(node.states)
    return busy and not (is_refused(node) and "COMPLETING" in node.states)


def is_refused(node: Node) -> bool:
    """Return whether Slurm refused the node because its machine has less memory, or fewer processors or GPUs, than
    slurm.conf requires.
    """
    return "INVALID_REG" in node.states


def _off(node: Node) -> SlurmState:
    if {"DOWN", "DRAIN"}.isdisjoint(node.states):
        return SlurmState.OFF
    before, _, last = node.reason.rpartition(_AND)
    if last.startswith(RESUME_TIMEOUT) and "DRAIN" not in node.states and not _is_persons(before):
        return SlurmState.TIMED_OUT
    if node.reason.startswith(_CLOSED):
        return SlurmState.NO_CAPACITY
    return SlurmState.FAILED if node.reason.startswith(REASON_PREFIX) else SlurmState.OFF_HELD


def _down(node: Node) -> SlurmState:
    # Slurm sets a node to down only if it is not down already (ping_nodes), so the last reason shows who did it.
    _, _, last = node.reason.rpartition(_AND)
    if last.startswith(SILENCE) and "DRAIN" not in node.states:
        return SlurmState.SILENT
    if node.reason.startswith(REASON_PREFIX):
        return SlurmState.DOWN
    return SlurmState.SILENT if node.reason.startswith(FAULTS) else SlurmState.DOWN_HELD


def _is_persons(words: str) -> bool:
    return bool(words) and not words.startswith((REASON_PREFIX, *SILENCE, *FAULTS))


def _registered(node: Node) -> SlurmState:
    refused = is_refused(node)
    if "DRAIN" not in node.states and not refused:
        return SlurmState.UP
    ours = node.reason.startswith(REASON_PREFIX)
    if "DRAIN" in node.states and not ours and not node.reason.startswith(FAULTS):
        return SlurmState.HELD
    if is_busy(node):
        return SlurmState.DRAINING
    return SlurmState.DRAINED if ours and not refused else SlurmState.FAULTY
