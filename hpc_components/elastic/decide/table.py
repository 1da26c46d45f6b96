"""The decision table: maps a node's state in Slurm, its state in the cloud, and the age of both to an action.

The table is data: the daemon looks up actions in it, tests check every cell, and the docs include it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from hpc_components.elastic.slurm.node_states import SlurmState


class CloudState(Enum):
    __hash__ = object.__hash__  # Enum's own hash is a slower Python function, and every cycle looks up every node

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
    MARK_DOWN_AND_POWER_OFF = "set down with our reason, then power down"
    FORCE_POWER_DOWN = "force a power-down"
    MARK_DOWN_KEEP_REASON = "set down, but keep its reason"
    DRAIN = "drain"
    UNDRAIN = "lift our drain"
    MARK_DOWN_FOR_COOLDOWN = "set down with our reason"
    RESUME = "resume"
    RESUME_IF_OPEN = "resume when a pool opens"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A row of the table: a set of states and ages, and the action for all of them."""

    slurm: frozenset[SlurmState]
    cloud: frozenset[CloudState]
    age: frozenset[Age]
    action: Action
    why: str
    """Clause that explains the action, shown in the status and in the documentation."""

    def cells(self) -> Iterator[tuple[SlurmState, CloudState, Age]]:
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
_HEARD = frozenset({S.UP, S.UNPAID, S.DRAINING, S.PAID_AGAIN, S.HELD})
_WORKS = frozenset({S.UP, S.UNPAID, S.UP_NOT_RESPONDING})
_DRAINING = frozenset({S.DRAINING, S.PAID_AGAIN, S.DRAINING_NOT_RESPONDING})
_FINE = frozenset({C.ASKED, C.PENDING, C.RUNNING})
_HELD = frozenset({S.HELD, S.HELD_NOT_RESPONDING})
_NOT_RESPONDING = frozenset({S.UP_NOT_RESPONDING, S.DRAINING_NOT_RESPONDING})
_IS_OFF = frozenset({S.OFF, S.OFF_HELD, S.NO_CAPACITY, S.FAILED, S.TIMED_OUT, S.POWERING_DOWN})

TABLE = (
    _row(S.ABSENT, _NO, _EVER, Do.NOTHING, "neither knows it"),
    _row(S.ABSENT, C.ASKED, _EVER, Do.WAIT, "its machine can't be ended until the cloud lists it or reports its id"),
    _row(S.ABSENT, ALIVE | {C.MISSING}, A.RECENT, Do.WAIT, "Slurm may be reading a new configuration"),
    _row(
        S.ABSENT, ALIVE | {C.MISSING}, _LATER, Do.TERMINATE, "Slurm has no such node: its queue shrank or was removed"
    ),
    # The node is off, so a machine is not needed.
    _row(
        _IS_OFF,
        _SOME | {C.MISSING},
        _EVER,
        Do.TERMINATE,
        "Slurm does not need the machine; the node's next start requires a fresh boot anyway",
    ),
    _row(frozenset({S.OFF, S.OFF_HELD, S.POWERING_DOWN}), _NO, _EVER, Do.NOTHING, "off, without costs"),
    _row(S.NO_CAPACITY, _NO, _EVER, Do.RESUME_IF_OPEN, "waiting for the next attempt to find capacity"),
    _row(
        S.TIMED_OUT,
        _NO,
        _EVER,
        Do.MARK_DOWN_FOR_COOLDOWN,
        "no machine registered in time; the node stays down for the cool-down",
    ),
    _row(S.FAILED, _NO, _YET, Do.WAIT, "the node stays down until the cool-down is over"),
    _row(S.FAILED, _NO, A.TIMED_OUT, Do.RESUME, "the cool-down is over"),
    # Slurm is waiting for a machine.
    _row(S.POWERING_UP, _NO, _EVER, Do.LAUNCH, "Slurm is waiting for a machine"),
    _row(
        S.POWERING_UP,
        C.ASKED,
        _EVER,
        Do.WAIT,
        "its machine has been requested; the request is repeated until the cloud responds",
    ),
    _row(
        S.POWERING_UP,
        C.MISSING,
        A.RECENT,
        Do.WAIT,
        "its machine was launched or seen earlier, so the cloud's list may be out of date",
    ),
    _row(S.POWERING_UP, C.MISSING, _LATER, Do.REPLACE, "its machine is not in the list and can't be found by its id"),
    _row(S.POWERING_UP, frozenset({C.PENDING, C.RUNNING}), _YET, Do.WAIT, "its machine boots"),
    _row(
        S.POWERING_UP,
        frozenset({C.PENDING, C.RUNNING}),
        A.TIMED_OUT,
        Do.REPLACE,
        "its machine did not register in time",
    ),
    _row(S.POWERING_UP, C.FAILING, A.RECENT, Do.WAIT, "a starting machine may seem broken at first"),
    _row(S.POWERING_UP, C.FAILING, _LATER, Do.REPLACE, "its machine is broken"),
    _row(S.POWERING_UP, C.DOUBTFUL, _EVER, Do.REPLACE, "it is unclear whether the cloud is terminating the machine"),
    # The node is starting, but no job needs it.
    _row(S.UNWANTED, C.ASKED, _EVER, Do.WAIT, "its machine has been requested, and another job may need the node"),
    _row(
        S.UNWANTED,
        C.MISSING,
        A.RECENT,
        Do.WAIT,
        "its machine was launched or seen earlier, so the cloud's list may be out of date",
    ),
    _row(
        S.UNWANTED,
        C.MISSING,
        _LATER,
        Do.FORCE_POWER_DOWN,
        "its machine is not in the list and can't be found by its id",
    ),
    _row(
        S.UNWANTED,
        frozenset({C.PENDING, C.RUNNING}),
        _YET,
        Do.WAIT,
        "its machine is booting, and another job may need the node",
    ),
    _row(
        S.UNWANTED,
        frozenset({C.PENDING, C.RUNNING}),
        A.TIMED_OUT,
        Do.FORCE_POWER_DOWN,
        "its machine did not register in time",
    ),
    _row(S.UNWANTED, C.FAILING, A.RECENT, Do.WAIT, "a starting machine may seem broken at first"),
    _row(S.UNWANTED, C.FAILING, _LATER, Do.FORCE_POWER_DOWN, "its machine is broken"),
    _row(
        S.UNWANTED,
        C.DOUBTFUL,
        _EVER,
        Do.FORCE_POWER_DOWN,
        "it is unclear whether the cloud is terminating the machine",
    ),
    _row(S.UNWANTED, _NO, _EVER, Do.FORCE_POWER_DOWN, "no job is waiting for the node, so no machine is launched"),
    _row(
        S.CALLED_OFF,
        frozenset(C),
        _EVER,
        Do.FORCE_POWER_DOWN,
        "otherwise Slurm would wait for the node to register before powering it down",
    ),
    # The node is up.
    _row(S.UP, _FINE, _EVER, Do.NOTHING, "works"),
    _row(
        S.UNPAID,
        _FINE,
        _EVER,
        Do.DRAIN,
        "its running jobs may finish, but jobs that start now would cost more than the budget",
    ),
    _row(
        S.UP_NOT_RESPONDING,
        _FINE,
        _EVER,
        Do.NOTHING,
        "Slurm sets the node down if it still does not respond",
    ),
    _row(
        _WORKS,
        C.DOUBTFUL,
        _EVER,
        Do.DRAIN,
        "it is unclear whether the cloud is terminating the machine, so no new jobs may start",
    ),
    _row(
        _WORKS, C.FAILING, _EVER, Do.DRAIN, "its machine is broken or about to be reclaimed, so no new jobs may start"
    ),
    _row(_DRAINING - {S.PAID_AGAIN}, _SOME, _EVER, Do.WAIT, "its running jobs may finish"),
    _row(S.PAID_AGAIN, _FINE, _EVER, Do.UNDRAIN, "the budget has money again, so jobs may start"),
    _row(S.PAID_AGAIN, frozenset({C.FAILING, C.DOUBTFUL}), _EVER, Do.WAIT, "its running jobs may finish"),
    _row(S.DRAINED, frozenset(C), _EVER, Do.POWER_DOWN, "nothing is running on the node"),
    _row(
        S.FAULTY,
        _SOME | {C.MISSING},
        A.RECENT,
        Do.WAIT,
        "an administrator may want to drain the node and inspect it",
    ),
    _row(S.FAULTY, _SOME | {C.MISSING}, _LATER, Do.MARK_DOWN_AND_POWER_OFF, "Slurm won't use the node"),
    _row(S.FAULTY, _NO, _EVER, Do.MARK_DOWN_AND_POWER_OFF, "Slurm won't use the node"),
    _row(_HELD, _SOME, _EVER, Do.NOTHING, "an administrator drained the node, perhaps to inspect it"),
    # The machine is gone.
    _row(_HEARD | _NOT_RESPONDING | _HELD, _UNSEEN, A.RECENT, Do.WAIT, "the cloud's list may be out of date"),
    _row(
        _HEARD,
        _UNSEEN,
        _LATER,
        Do.WARN,
        "the node responds to Slurm, but the cloud does not list its machine: were its tags changed?",
    ),
    _row(_NOT_RESPONDING, _UNSEEN, _LATER, Do.MARK_DOWN_LOST, "its machine is gone; its jobs restart elsewhere"),
    _row(_WORKS | _DRAINING, C.ENDED, _EVER, Do.MARK_DOWN_LOST, "its machine is gone; its jobs restart elsewhere"),
    _row(
        S.HELD_NOT_RESPONDING,
        _UNSEEN,
        _LATER,
        Do.MARK_DOWN_KEEP_REASON,
        "its machine is gone; only the administrator who drained the node may resume it",
    ),
    _row(
        _HELD,
        C.ENDED,
        _EVER,
        Do.MARK_DOWN_KEEP_REASON,
        "its machine is gone; only the administrator who drained the node may resume it",
    ),
    # The node is down but not powered off.
    _row(S.DOWN, _NO, _EVER, Do.POWER_DOWN, "the daemon gave up on this node"),
    _row(frozenset({S.DOWN, S.SILENT}), _SOME | {C.MISSING}, A.RECENT, Do.WAIT, "the node may respond again"),
    _row(
        frozenset({S.DOWN, S.SILENT}),
        _SOME | {C.MISSING},
        _LATER,
        Do.TERMINATE_AND_POWER_DOWN,
        "the node does not respond",
    ),
    _row(S.SILENT, C.NONE, A.RECENT, Do.WAIT, "the cloud's list may be out of date"),
    _row(S.SILENT, C.NONE, _LATER, Do.POWER_DOWN, "its machine is gone"),
    _row(S.SILENT, C.ENDED, _EVER, Do.POWER_DOWN, "its machine is gone"),
    _row(S.DOWN_HELD, frozenset(C), _EVER, Do.NOTHING, "left to the administrator who set the node down"),
)
"""Every combination of states and age appears in exactly one row. `RECENT` lasts as long as the cloud's list may lag
(see `Limits`). Only two kinds of node can be `TIMED_OUT`: a starting node whose boot timeout has passed since its
launch, and a node that the daemon set down and whose cool-down is over."""

_CELLS = {cell: row for row in TABLE for cell in row.cells()}


def decide(slurm: SlurmState, cloud: CloudState, age: Age) -> Decision:
    return _CELLS[slurm, cloud, age]
