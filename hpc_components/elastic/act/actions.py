"""What is done for each action of the decision table, but for launching."""

from collections.abc import Callable, Collection, Iterable

from hpc_components.elastic.act.availability import Closed
from hpc_components.elastic.act.executor import Hands
from hpc_components.elastic.decide.reconcile import Seen, View
from hpc_components.elastic.decide.table import OURS, Action, CloudState, SlurmState
from hpc_components.elastic.model import Job
from hpc_components.elastic.plan.planner import Unit
from hpc_components.elastic.report.events import EventKind

__all__ = ["end_machines", "give_up", "lift_and_hold", "tell_slurm"]

_TOLD_ONE_BY_ONE = 50
"""Nodes that get reasons of their own; more at once share one, for each reason is a call of Slurm."""


def end_machines(hands: Hands, view: View) -> list[Seen]:
    """End all that only costs money. Returns the nodes whose machine made room for another one."""
    hands.end({spare.id: spare.node for spare in view.spares}, "its node has another one")
    replaced: list[Seen] = []
    for action in (Action.END, Action.RELEASE, Action.REPLACE):
        for why, seen in _grouped(view, action, lambda this: view.rows[this.name].why).items():
            # A launch without an answer has no ids yet: its machines are ended once they are listed.
            hands.end({this.machine.id: this.name for this in seen if this.machine and _is_there(this)}, why)
            if action is Action.REPLACE:
                replaced += [this for this in seen if this.machine and this.machine.id in hands.ended]
    return replaced


def _is_there(this: Seen) -> bool:
    """Whether its machine is not one of the past."""
    return this.cloud is not CloudState.ASKED


def tell_slurm(hands: Hands, view: View, *, next_try: str) -> None:
    """Set down, drain and power down what the table says."""
    hands.warn(_names(view.todo.get(Action.WARN, ())), "Slurm hears it, the cloud does not list it")
    many = len(view.todo.get(Action.LOST, ())) > _TOLD_ONE_BY_ONE
    gone = (lambda _: "machine is gone") if many else _gone
    for reason, seen in _grouped(view, Action.LOST, gone).items():
        hands.give_back(_names(seen), OURS + reason)
    for reason, seen in _grouped(view, Action.DISCARD, _fault).items():
        hands.give_back(_names(seen), OURS + reason)
    for why, seen in _grouped(view, Action.CALL_OFF, lambda this: view.rows[this.name].why).items():
        hands.update(EventKind.POWER_DOWN, _names(seen), "power_down_force", "", f"powered down: {why}")
    for reason, seen in _grouped(view, Action.LOST_HELD, lambda this: this.node.reason if this.node else "").items():
        hands.update(EventKind.DOWN, _names(seen), "down", reason, f"set down, machine is gone; {reason!r} stays")
    for reason, seen in _grouped(view, Action.DRAIN, _failing).items():
        hands.update(EventKind.DRAIN, _names(seen), "drain", OURS + reason, f"drained: {reason}")
    for action in (Action.RELEASE, Action.POWER_DOWN):
        for why, seen in _grouped(view, action, lambda this: view.rows[this.name].why).items():
            hands.update(EventKind.POWER_DOWN, _names(seen), "power_down", "", f"powered down: {why}")
    reason = f"{OURS}no machine registered in time; next try {next_try}"
    hands.down(_names(view.todo.get(Action.ADOPT, ())), reason)


def give_up(hands: Hands, view: View, jobs: Collection[Job], units: Collection[Unit], closed: Closed) -> None:
    """No pool is left for these: their jobs start again elsewhere or later, and nothing half-started stays."""
    if not units:
        return
    booting = {machine.id: machine.node for unit in units for machine in unit.booting}
    hands.end(booting, "the job can't have all its nodes")
    reasons: dict[str, list[str]] = {}
    for unit in units:
        own = (*unit.missing, *(machine.node for machine in unit.booting))
        reasons.setdefault(closed.why_not(unit), []).extend(own)
    for reason, names in reasons.items():
        held = [name for name in names if _is_held(view.seen[name])]
        hands.give_back([name for name in names if name not in held], reason)
        for name in held:
            own = view.seen[name].node
            hands.down([name], own.reason if own else reason)
    for (until, reason), ids in closed.to_wait(units, jobs).items():
        hands.postpone(ids, until, reason)
    at_work = {name for job in jobs if job.state != "CONFIGURING" for name in job.nodes}
    others = [machine.node for unit in units for machine in unit.up if machine.node not in at_work]
    others = [name for name in others if view.seen[name].slurm not in (SlurmState.HELD, SlurmState.HELD_MUTE)]
    # Not by force: the job is gone from there by now, and what has begun there since this cycle did may end.
    words = "powered down: the job can't have the rest of its nodes"
    hands.update(EventKind.POWER_DOWN, others, "power_down", "", words)


def _is_held(this: Seen) -> bool:
    """Whether somebody else drained it while it came up."""
    return this.node is not None and "DRAIN" in this.node.states and not this.node.reason.startswith(OURS)


def lift_and_hold(hands: Hands, view: View, closed: Closed) -> None:
    """Lift our downs where a machine may be had again, and set free nodes down where none can be."""
    resting = (*view.todo.get(Action.LIFT, ()), *view.todo.get(Action.LIFT_IF_OPEN, ()))
    ready = [this.name for this in resting if not closed.why(this.name)]
    hands.resume(ready)
    for reason, names in closed.free_nodes(view.seen.values()).items():
        hands.down(names, reason)
    kept = closed.to_keep_up(view.seen)
    hands.update(EventKind.POWER_UP, kept, "power_up", "", "powered up: always kept up")


def _grouped(view: View, action: Action, key: Callable[[Seen], str]) -> dict[str, list[Seen]]:
    groups: dict[str, list[Seen]] = {}
    for this in view.todo.get(action, ()):
        groups.setdefault(key(this), []).append(this)
    return groups


def _names(seen: Iterable[Seen]) -> list[str]:
    return [this.name for this in seen]


def _gone(this: Seen) -> str:
    if not this.machine:
        return "its machine is gone"
    words = f"machine {this.machine.id} is gone"
    return f"{words}: {this.machine.failing}" if this.machine.failing else words


def _fault(this: Seen) -> str:
    reason = this.node.reason.removeprefix(OURS) if this.node else ""
    return reason or "refused by Slurm"


def _failing(this: Seen) -> str:
    return this.machine.failing if this.machine else "its machine is broken"
