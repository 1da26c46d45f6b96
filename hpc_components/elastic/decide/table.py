"""The decision table: what Slurm says of a node, what the cloud has for it and for how long -> what is done.

It is data: `TABLE` is what the daemon looks up, what the tests walk through cell by cell and what the docs show.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

__all__ = [
    "LISTING_DELAY", "NO_CAPACITY", "OURS", "TABLE", "Action", "Age", "CloudState", "Row", "SlurmState", "decide",
]  # fmt: skip

OURS = "hpc: "
"""What the reason of every down and drain of ours begins with. Only those are ever lifted by us."""
NO_CAPACITY = OURS + "no capacity"
"""What the reason begins with where no pool has machines now. All of `report.Why` are lifted once one is open."""
LISTING_DELAY = 120.0
"""Seconds for which a cloud's list may lag behind: a machine may be missing, or be shown in its former state."""


class SlurmState(Enum):
    """What Slurm says of a node, as far as it matters here; the value is how people are told."""

    ABSENT = "not in Slurm"
    OFF = "off"
    OFF_HELD = "off, held by somebody else"
    NO_CAPACITY = "off, set down by us: no capacity"
    FAILED = "off, set down by us"
    TIMED_OUT = "off, set down by Slurm: ResumeTimeout"
    BOOTING = "to come up"
    SPARE = "to come up, but no job waits for it any more"
    CALLED_OFF = "to come up, and to go"
    UP = "up"
    UP_MUTE = "up, does not answer"
    DRAINING = "drained by us or by Slurm itself, busy"
    DRAINING_MUTE = "drained by us or by Slurm itself, busy, does not answer"
    DRAINED = "drained by us, idle"
    FAULTY = "refused or drained by Slurm itself, idle"
    HELD = "up, drained by somebody else"
    HELD_MUTE = "up, drained by somebody else, does not answer"
    DOWN = "down, by us"
    SILENT = "down, by Slurm itself"
    DOWN_HELD = "down, by somebody else"
    LEAVING = "to go"


class CloudState(Enum):
    """What the cloud has for a node."""

    NONE = "nothing"
    ASKED = "asked for"
    MISSING = "missing"
    PENDING = "starting"
    RUNNING = "running"
    FAILING = "failing"
    ENDED = "ended"


class Age(Enum):
    """For how long it has been so."""

    FRESH = "less than 2 minutes"
    SETTLED = "longer"
    DUE = "longer than it may"


class Action(Enum):
    """What is done."""

    REST = "nothing"
    WAIT = "wait"
    WARN = "tell, and wait"
    LAUNCH = "launch a machine"
    REPLACE = "end the machine, launch another"
    END = "end the machine"
    RELEASE = "end the machine, power down"
    POWER_DOWN = "power down"
    LOST = "set down, then power down"
    DISCARD = "set down in our name, then power down"
    CALL_OFF = "power down by force"
    LOST_HELD = "set down, its reason stays"
    DRAIN = "drain"
    ADOPT = "set down in our name"
    LIFT = "resume"
    LIFT_IF_OPEN = "resume once a pool is open"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: all cells in which it holds."""

    slurm: frozenset[SlurmState]
    """Any of these."""
    cloud: frozenset[CloudState]
    """Any of these."""
    age: frozenset[Age]
    """Any of these."""
    action: Action
    """What is done."""
    why: str
    """Half a sentence for status and documentation."""

    def cells(self) -> Iterator[tuple[SlurmState, CloudState, Age]]:
        """Every combination in which it holds."""
        return ((slurm, cloud, age) for slurm in self.slurm for cloud in self.cloud for age in self.age)


def _row(
    slurm: SlurmState | frozenset[SlurmState],
    cloud: CloudState | frozenset[CloudState],
    age: Age | frozenset[Age],
    action: Action,
    why: str,
) -> Row:
    return Row(
        slurm=slurm if isinstance(slurm, frozenset) else frozenset({slurm}),
        cloud=cloud if isinstance(cloud, frozenset) else frozenset({cloud}),
        age=age if isinstance(age, frozenset) else frozenset({age}),
        action=action,
        why=why,
    )


S, C, A, Do = SlurmState, CloudState, Age, Action

_ALIVE = frozenset({C.PENDING, C.RUNNING, C.FAILING})
_SOME = _ALIVE | {C.ASKED}
_NO = frozenset({C.NONE, C.ENDED})
_UNSEEN = frozenset({C.NONE, C.MISSING})
_EVER = frozenset(A)
_LATER = frozenset({A.SETTLED, A.DUE})
_YET = frozenset({A.FRESH, A.SETTLED})
_HEARD = frozenset({S.UP, S.DRAINING, S.HELD})
_WORKS = frozenset({S.UP, S.UP_MUTE})
_DRAINING = frozenset({S.DRAINING, S.DRAINING_MUTE})
_HELD = frozenset({S.HELD, S.HELD_MUTE})
_MUTE = frozenset({S.UP_MUTE, S.DRAINING_MUTE})
_IS_OFF = frozenset({S.OFF, S.OFF_HELD, S.NO_CAPACITY, S.FAILED, S.TIMED_OUT, S.LEAVING})

TABLE = (
    _row(S.ABSENT, _NO, _EVER, Do.REST, "neither knows it"),
    _row(S.ABSENT, C.ASKED, _EVER, Do.WAIT, "its machine has no id to end it by yet, or is ended once listed"),
    _row(S.ABSENT, _ALIVE | {C.MISSING}, A.FRESH, Do.WAIT, "Slurm may be reading a new configuration"),
    _row(
        S.ABSENT, _ALIVE | {C.MISSING}, _LATER, Do.END, "no node of Slurm: a queue that shrank, or one that is gone"
    ),
    # Nobody wants a machine.
    _row(
        _IS_OFF,
        _SOME | {C.MISSING},
        _EVER,
        Do.END,
        "Slurm has no use for it; the next start wants a fresh boot anyway",
    ),
    _row(frozenset({S.OFF, S.OFF_HELD, S.LEAVING}), _NO, _EVER, Do.REST, "off, and nothing costs"),
    _row(S.NO_CAPACITY, _NO, _EVER, Do.LIFT_IF_OPEN, "waits for the next try at capacity"),
    _row(S.TIMED_OUT, _NO, _EVER, Do.ADOPT, "no machine registered in time; rests for the cool-down"),
    _row(S.FAILED, _NO, _YET, Do.WAIT, "rests for the cool-down"),
    _row(S.FAILED, _NO, A.DUE, Do.LIFT, "the cool-down is over"),
    # Slurm waits for one.
    _row(S.BOOTING, _NO, _EVER, Do.LAUNCH, "Slurm waits for a machine"),
    _row(
        S.BOOTING, C.ASKED, _EVER, Do.WAIT, "its machine is asked for; the request is repeated until it is answered"
    ),
    _row(S.BOOTING, C.MISSING, A.FRESH, Do.WAIT, "its machine was launched, or seen: the list may be behind"),
    _row(S.BOOTING, C.MISSING, _LATER, Do.REPLACE, "its machine is neither listed nor known by its id"),
    _row(S.BOOTING, frozenset({C.PENDING, C.RUNNING}), _YET, Do.WAIT, "its machine boots"),
    _row(S.BOOTING, frozenset({C.PENDING, C.RUNNING}), A.DUE, Do.REPLACE, "its machine did not register in time"),
    _row(S.BOOTING, C.FAILING, A.FRESH, Do.WAIT, "a machine that starts may look broken"),
    _row(S.BOOTING, C.FAILING, _LATER, Do.REPLACE, "its machine is broken"),
    # Its job is gone.
    _row(S.SPARE, C.ASKED, _EVER, Do.WAIT, "its machine is asked for, and another job may come"),
    _row(S.SPARE, C.MISSING, A.FRESH, Do.WAIT, "its machine was launched, or seen: the list may be behind"),
    _row(S.SPARE, C.MISSING, _LATER, Do.CALL_OFF, "its machine is neither listed nor known by its id"),
    _row(S.SPARE, frozenset({C.PENDING, C.RUNNING}), _YET, Do.WAIT, "its machine boots, and another job may come"),
    _row(S.SPARE, frozenset({C.PENDING, C.RUNNING}), A.DUE, Do.CALL_OFF, "its machine did not register in time"),
    _row(S.SPARE, C.FAILING, A.FRESH, Do.WAIT, "a machine that starts may look broken"),
    _row(S.SPARE, C.FAILING, _LATER, Do.CALL_OFF, "its machine is broken"),
    _row(S.SPARE, _NO, _EVER, Do.CALL_OFF, "no machine is launched for nobody"),
    _row(S.CALLED_OFF, frozenset(C), _EVER, Do.CALL_OFF, "Slurm would wait for it to register before it lets it go"),
    # It is up.
    _row(S.UP, frozenset({C.ASKED, C.PENDING, C.RUNNING}), _EVER, Do.REST, "works"),
    _row(
        S.UP_MUTE, frozenset({C.ASKED, C.PENDING, C.RUNNING}), _EVER, Do.REST, "Slurm sets it down if it stays silent"
    ),
    _row(_WORKS, C.FAILING, _EVER, Do.DRAIN, "its machine is broken or about to be taken away: no new jobs"),
    _row(_DRAINING, _SOME, _EVER, Do.WAIT, "its jobs may end"),
    _row(S.DRAINED, frozenset(C), _EVER, Do.POWER_DOWN, "nothing runs on it any more"),
    _row(
        S.FAULTY, _SOME | {C.MISSING}, A.FRESH, Do.WAIT, "somebody may want to look at it, and drain it for a reason"
    ),
    _row(S.FAULTY, _SOME | {C.MISSING}, _LATER, Do.DISCARD, "Slurm will not use it"),
    _row(S.FAULTY, _NO, _EVER, Do.DISCARD, "Slurm will not use it"),
    _row(_HELD, _SOME, _EVER, Do.REST, "somebody wants to look at it"),
    # Its machine is gone.
    _row(_HEARD | _MUTE | _HELD, _UNSEEN, A.FRESH, Do.WAIT, "the list may be behind"),
    _row(_HEARD, _UNSEEN, _LATER, Do.WARN, "Slurm hears it, the cloud does not list it: are its tags changed?"),
    _row(_MUTE, _UNSEEN, _LATER, Do.LOST, "its machine is gone: its jobs start again elsewhere"),
    _row(_WORKS | _DRAINING, C.ENDED, _EVER, Do.LOST, "its machine is gone: its jobs start again elsewhere"),
    _row(S.HELD_MUTE, _UNSEEN, _LATER, Do.LOST_HELD, "its machine is gone; only who drained it may lift that"),
    _row(_HELD, C.ENDED, _EVER, Do.LOST_HELD, "its machine is gone; only who drained it may lift that"),
    # It is down, and not powered off.
    _row(S.DOWN, _NO, _EVER, Do.POWER_DOWN, "given up by us"),
    _row(frozenset({S.DOWN, S.SILENT}), _SOME | {C.MISSING}, A.FRESH, Do.WAIT, "it may answer again"),
    _row(frozenset({S.DOWN, S.SILENT}), _SOME | {C.MISSING}, _LATER, Do.RELEASE, "it does not answer"),
    _row(S.SILENT, C.NONE, A.FRESH, Do.WAIT, "the list may be behind"),
    _row(S.SILENT, C.NONE, _LATER, Do.POWER_DOWN, "its machine is gone"),
    _row(S.SILENT, C.ENDED, _EVER, Do.POWER_DOWN, "its machine is gone"),
    _row(S.DOWN_HELD, frozenset(C), _EVER, Do.REST, "whoever set it down decides"),
)
"""Every combination is in exactly one row. `DUE` is reached by nodes that come up, after the boot timeout (counted
from the launch), and by nodes that rest, after the cool-down; nothing else has a time that it may take."""

_CELLS = {cell: row for row in TABLE for cell in row.cells()}


def decide(slurm: SlurmState, cloud: CloudState, age: Age) -> Row:
    """The row that holds."""
    return _CELLS[slurm, cloud, age]
