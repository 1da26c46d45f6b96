"""The decision table: maps a node's state in Slurm, its state in the cloud, and the age of both to an action.

The table is data: the daemon looks actions up in `TABLE`, tests check it cell by cell, and the docs show it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from hpc_components.elastic.slurm.node_states import SlurmState


class CloudState(Enum):
    """What the cloud has for a node."""

    __hash__ = object.__hash__  # faster than Enum's, which is a Python function: every cycle looks every node up

    NONE = "nothing"
    ASKED = "asked for"
    MISSING = "missing"
    PENDING = "starting"
    RUNNING = "running"
    FAILING = "failing"
    DOUBTFUL = "may be ending"
    ENDED = "ended"


ALIVE = frozenset({CloudState.PENDING, CloudState.RUNNING, CloudState.FAILING, CloudState.DOUBTFUL})
"""States in which the cloud lists a machine that costs money."""


class Age(Enum):
    """How long a node's states in Slurm and in the cloud have lasted."""

    __hash__ = object.__hash__

    RECENT = "within the list lag"
    STABLE = "longer"
    TIMED_OUT = "too long"


class Action(Enum):
    """What the daemon does with a node."""

    __hash__ = object.__hash__

    NOTHING = "nothing"
    WAIT = "wait"
    WARN = "warn, and wait"
    LAUNCH = "launch a machine"
    REPLACE = "end the machine, launch another"
    TERMINATE = "end the machine"
    TERMINATE_AND_POWER_DOWN = "end the machine, power down"
    POWER_DOWN = "power down"
    MARK_DOWN_LOST = "set down, then power down"
    MARK_DOWN_AND_POWER_OFF = "set down in our name, then power down"
    FORCE_POWER_DOWN = "power down by force"
    MARK_DOWN_KEEP_REASON = "set down, its reason stays"
    DRAIN = "drain"
    MARK_DOWN_FOR_COOLDOWN = "set down in our name"
    RESUME = "resume"
    RESUME_IF_OPEN = "resume once a pool is open"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One row of the table, with the action for all its cells."""

    slurm: frozenset[SlurmState]
    cloud: frozenset[CloudState]
    age: frozenset[Age]
    action: Action
    why: str
    """Clause that explains the action in the status and in the documentation."""

    def cells(self) -> Iterator[tuple[SlurmState, CloudState, Age]]:
        """Yield every combination to which the row applies."""
        return ((slurm, cloud, age) for slurm in self.slurm for cloud in self.cloud for age in self.age)


def _row(
    slurm: SlurmState | frozenset[SlurmState],
    cloud: CloudState | frozenset[CloudState],
    age: Age | frozenset[Age],
    action: Action,
    why: str,
) -> Decision:
    return Decision(
        slurm=slurm if isinstance(slurm, frozenset) else frozenset({slurm}),
        cloud=cloud if isinstance(cloud, frozenset) else frozenset({cloud}),
        age=age if isinstance(age, frozenset) else frozenset({age}),
        action=action,
        why=why,
    )


S, C, A, Do = SlurmState, CloudState, Age, Action

_SOME = ALIVE | {C.ASKED}
_NO = frozenset({C.NONE, C.ENDED})
_UNSEEN = frozenset({C.NONE, C.MISSING})
_EVER = frozenset(A)
_LATER = frozenset({A.STABLE, A.TIMED_OUT})
_YET = frozenset({A.RECENT, A.STABLE})
_HEARD = frozenset({S.UP, S.DRAINING, S.HELD})
_WORKS = frozenset({S.UP, S.UP_NOT_RESPONDING})
_DRAINING = frozenset({S.DRAINING, S.DRAINING_NOT_RESPONDING})
_HELD = frozenset({S.HELD, S.HELD_NOT_RESPONDING})
_NOT_RESPONDING = frozenset({S.UP_NOT_RESPONDING, S.DRAINING_NOT_RESPONDING})
_IS_OFF = frozenset({S.OFF, S.OFF_HELD, S.NO_CAPACITY, S.FAILED, S.TIMED_OUT, S.POWERING_DOWN})

TABLE = (
    _row(S.ABSENT, _NO, _EVER, Do.NOTHING, "neither knows it"),
    _row(S.ABSENT, C.ASKED, _EVER, Do.WAIT, "its machine has no id to end it by yet, or is ended once listed"),
    _row(S.ABSENT, ALIVE | {C.MISSING}, A.RECENT, Do.WAIT, "Slurm may be reading a new configuration"),
    _row(
        S.ABSENT, ALIVE | {C.MISSING}, _LATER, Do.TERMINATE, "Slurm has no such node: its queue shrank or was removed"
    ),
    # The machine is not wanted.
    _row(
        _IS_OFF,
        _SOME | {C.MISSING},
        _EVER,
        Do.TERMINATE,
        "Slurm has no use for it; the next start wants a fresh boot anyway",
    ),
    _row(frozenset({S.OFF, S.OFF_HELD, S.POWERING_DOWN}), _NO, _EVER, Do.NOTHING, "off, without costs"),
    _row(S.NO_CAPACITY, _NO, _EVER, Do.RESUME_IF_OPEN, "waits for the next try at capacity"),
    _row(
        S.TIMED_OUT,
        _NO,
        _EVER,
        Do.MARK_DOWN_FOR_COOLDOWN,
        "no machine registered in time; stays down for the cool-down",
    ),
    _row(S.FAILED, _NO, _YET, Do.WAIT, "stays down for the cool-down"),
    _row(S.FAILED, _NO, A.TIMED_OUT, Do.RESUME, "the cool-down is over"),
    # Slurm waits for a machine.
    _row(S.POWERING_UP, _NO, _EVER, Do.LAUNCH, "Slurm waits for a machine"),
    _row(
        S.POWERING_UP,
        C.ASKED,
        _EVER,
        Do.WAIT,
        "its machine is asked for; the request is repeated until it is answered",
    ),
    _row(S.POWERING_UP, C.MISSING, A.RECENT, Do.WAIT, "its machine was launched, or seen: the list may be behind"),
    _row(S.POWERING_UP, C.MISSING, _LATER, Do.REPLACE, "its machine is neither listed nor known by its id"),
    _row(S.POWERING_UP, frozenset({C.PENDING, C.RUNNING}), _YET, Do.WAIT, "its machine boots"),
    _row(
        S.POWERING_UP,
        frozenset({C.PENDING, C.RUNNING}),
        A.TIMED_OUT,
        Do.REPLACE,
        "its machine did not register in time",
    ),
    _row(S.POWERING_UP, C.FAILING, A.RECENT, Do.WAIT, "a machine that starts may look broken"),
    _row(S.POWERING_UP, C.FAILING, _LATER, Do.REPLACE, "its machine is broken"),
    _row(S.POWERING_UP, C.DOUBTFUL, _EVER, Do.REPLACE, "the cloud did not say whether it ends the machine"),
    # The job is gone.
    _row(S.UNWANTED, C.ASKED, _EVER, Do.WAIT, "its machine is asked for, and another job may come"),
    _row(S.UNWANTED, C.MISSING, A.RECENT, Do.WAIT, "its machine was launched, or seen: the list may be behind"),
    _row(S.UNWANTED, C.MISSING, _LATER, Do.FORCE_POWER_DOWN, "its machine is neither listed nor known by its id"),
    _row(S.UNWANTED, frozenset({C.PENDING, C.RUNNING}), _YET, Do.WAIT, "its machine boots, and another job may come"),
    _row(
        S.UNWANTED,
        frozenset({C.PENDING, C.RUNNING}),
        A.TIMED_OUT,
        Do.FORCE_POWER_DOWN,
        "its machine did not register in time",
    ),
    _row(S.UNWANTED, C.FAILING, A.RECENT, Do.WAIT, "a machine that starts may look broken"),
    _row(S.UNWANTED, C.FAILING, _LATER, Do.FORCE_POWER_DOWN, "its machine is broken"),
    _row(S.UNWANTED, C.DOUBTFUL, _EVER, Do.FORCE_POWER_DOWN, "the cloud did not say whether it ends the machine"),
    _row(S.UNWANTED, _NO, _EVER, Do.FORCE_POWER_DOWN, "no job waits for it, so no machine is launched"),
    _row(
        S.CALLED_OFF,
        frozenset(C),
        _EVER,
        Do.FORCE_POWER_DOWN,
        "Slurm would wait for it to register before powering it down",
    ),
    # The node is up.
    _row(S.UP, frozenset({C.ASKED, C.PENDING, C.RUNNING}), _EVER, Do.NOTHING, "works"),
    _row(
        S.UP_NOT_RESPONDING,
        frozenset({C.ASKED, C.PENDING, C.RUNNING}),
        _EVER,
        Do.NOTHING,
        "Slurm sets it down if it stays silent",
    ),
    _row(_WORKS, C.DOUBTFUL, _EVER, Do.DRAIN, "the cloud did not say whether it ends the machine: no new jobs"),
    _row(_WORKS, C.FAILING, _EVER, Do.DRAIN, "its machine is broken or about to be taken away: no new jobs"),
    _row(_DRAINING, _SOME, _EVER, Do.WAIT, "its jobs may end"),
    _row(S.DRAINED, frozenset(C), _EVER, Do.POWER_DOWN, "nothing runs on it any more"),
    _row(
        S.FAULTY,
        _SOME | {C.MISSING},
        A.RECENT,
        Do.WAIT,
        "an administrator may want to inspect it, and drain it with a reason",
    ),
    _row(S.FAULTY, _SOME | {C.MISSING}, _LATER, Do.MARK_DOWN_AND_POWER_OFF, "Slurm will not use it"),
    _row(S.FAULTY, _NO, _EVER, Do.MARK_DOWN_AND_POWER_OFF, "Slurm will not use it"),
    _row(_HELD, _SOME, _EVER, Do.NOTHING, "an administrator wants to inspect it"),
    # The machine is gone.
    _row(_HEARD | _NOT_RESPONDING | _HELD, _UNSEEN, A.RECENT, Do.WAIT, "the list may be behind"),
    _row(_HEARD, _UNSEEN, _LATER, Do.WARN, "Slurm hears from it, the cloud does not list it: were its tags changed?"),
    _row(_NOT_RESPONDING, _UNSEEN, _LATER, Do.MARK_DOWN_LOST, "its machine is gone: its jobs start again elsewhere"),
    _row(
        _WORKS | _DRAINING, C.ENDED, _EVER, Do.MARK_DOWN_LOST, "its machine is gone: its jobs start again elsewhere"
    ),
    _row(
        S.HELD_NOT_RESPONDING,
        _UNSEEN,
        _LATER,
        Do.MARK_DOWN_KEEP_REASON,
        "its machine is gone; only who drained it may lift that",
    ),
    _row(_HELD, C.ENDED, _EVER, Do.MARK_DOWN_KEEP_REASON, "its machine is gone; only who drained it may lift that"),
    # The node is down, and not powered off.
    _row(S.DOWN, _NO, _EVER, Do.POWER_DOWN, "given up by us"),
    _row(frozenset({S.DOWN, S.SILENT}), _SOME | {C.MISSING}, A.RECENT, Do.WAIT, "it may answer again"),
    _row(
        frozenset({S.DOWN, S.SILENT}), _SOME | {C.MISSING}, _LATER, Do.TERMINATE_AND_POWER_DOWN, "it does not answer"
    ),
    _row(S.SILENT, C.NONE, A.RECENT, Do.WAIT, "the list may be behind"),
    _row(S.SILENT, C.NONE, _LATER, Do.POWER_DOWN, "its machine is gone"),
    _row(S.SILENT, C.ENDED, _EVER, Do.POWER_DOWN, "its machine is gone"),
    _row(S.DOWN_HELD, frozenset(C), _EVER, Do.NOTHING, "left to the administrator who set it down"),
)
"""Every combination of states and age is in exactly one row. `RECENT` lasts as long as the cloud's list may lag (see
`Limits`). Only two kinds of node can be `TIMED_OUT`: a starting node, once the boot timeout has passed since its
launch, and a node that the daemon has set to down, once the cool-down is over."""

_CELLS = {cell: row for row in TABLE for cell in row.cells()}


def decide(slurm: SlurmState, cloud: CloudState, age: Age) -> Decision:
    """Return the row that applies."""
    return _CELLS[slurm, cloud, age]
