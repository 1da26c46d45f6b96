from collections.abc import Callable, Collection, Iterable

from hpc_components.elastic.act.availability import Availability
from hpc_components.elastic.act.executor import Executor
from hpc_components.elastic.decide.reconcile import ClusterView, NodeView
from hpc_components.elastic.decide.table import Action, CloudState
from hpc_components.elastic.model import Job
from hpc_components.elastic.plan.planner import Unit
from hpc_components.elastic.report.events import EventKind
from hpc_components.elastic.slurm.node_states import SlurmState
from hpc_components.elastic.slurm.reasons import BUDGET_SPENT, REASON_PREFIX

_OWN_REASONS = 50
"""Maximum number of nodes with individual reasons. If there are more, they all share one reason, because each reason
requires a separate call to Slurm."""

_MAY_BE_ENDING = "its machine may be shutting down: the cloud did not respond"


def end_machines(executor: Executor, view: ClusterView) -> list[NodeView]:
    """Terminate machines that are not needed or must be replaced. Return the nodes that need a new machine."""
    executor.end({spare.id: spare.node for spare in view.spares}, "the node needs only one machine")
    replaced: list[NodeView] = []
    for action in (Action.TERMINATE, Action.TERMINATE_AND_POWER_DOWN, Action.REPLACE):
        for why, seen in _grouped(view, action, lambda this: view.rows[this.name].why).items():
            # An unanswered launch has no machine ids yet, so its machines are terminated once they are listed.
            executor.end({this.machine.id: this.name for this in seen if this.machine and _is_there(this)}, why)
            if action is Action.REPLACE:
                replaced += [this for this in seen if this.machine and this.machine.id in executor.ended]
                # Free these nodes: if a machine shut down after its node had registered, the node's job would be
                # lost.
                unclear = [this for this in seen if this.machine and this.machine.id in executor.unanswered]
                _set_free(executor, view, _names(unclear), REASON_PREFIX + _MAY_BE_ENDING)
    return replaced


def _is_there(this: NodeView) -> bool:
    """Return whether the listed machine is the node's current one, not an earlier one."""
    return this.cloud is not CloudState.ASKED


def update_slurm(executor: Executor, view: ClusterView, *, next_try: str, budget_spent: str = "") -> None:
    """Set nodes to down, drain them or power them down, as the decision table requires.

    `next_try` is the time of the next attempt, as shown to operators. `budget_spent` says why launches are stopped.
    """
    executor.warn(
        _names(view.todo.get(Action.WARN, ())), "the node responds to Slurm, but the cloud does not list its machine"
    )
    many = len(view.todo.get(Action.MARK_DOWN_LOST, ())) > _OWN_REASONS
    gone = (lambda _: "machine is gone") if many else _gone
    for reason, seen in _grouped(view, Action.MARK_DOWN_LOST, gone).items():
        executor.give_back(_names(seen), REASON_PREFIX + reason)
    for reason, seen in _grouped(view, Action.MARK_DOWN_AND_POWER_OFF, _fault).items():
        executor.give_back(_names(seen), REASON_PREFIX + reason)
    for why, seen in _grouped(view, Action.FORCE_POWER_DOWN, lambda this: view.rows[this.name].why).items():
        executor.update(EventKind.POWER_DOWN, _names(seen), "power_down_force", "", f"powered down: {why}")
    for reason, seen in _grouped(
        view, Action.MARK_DOWN_KEEP_REASON, lambda this: this.node.reason if this.node else ""
    ).items():
        executor.update(
            EventKind.DOWN,
            _names(seen),
            "down",
            reason,
            f"set down because the machine is gone; the reason {reason!r} is kept",
        )
    for reason, seen in _grouped(view, Action.DRAIN, lambda this: _drain_reason(this, budget_spent)).items():
        executor.update(EventKind.DRAIN, _names(seen), "drain", REASON_PREFIX + reason, f"drained: {reason}")
    executor.resume(_names(view.todo.get(Action.UNDRAIN, ())))
    for action in (Action.TERMINATE_AND_POWER_DOWN, Action.POWER_DOWN):
        for why, seen in _grouped(view, action, lambda this: view.rows[this.name].why).items():
            executor.update(EventKind.POWER_DOWN, _names(seen), "power_down", "", f"powered down: {why}")
    reason = f"{REASON_PREFIX}no machine registered in time; next try {next_try}"
    executor.down(_names(view.todo.get(Action.MARK_DOWN_FOR_COOLDOWN, ())), reason)


def give_up(
    executor: Executor, view: ClusterView, jobs: Collection[Job], units: Collection[Unit], availability: Availability
) -> None:
    """Give up on units for which no pool is left, so that their jobs restart elsewhere or later."""
    if not units:
        return
    booting = {machine.id: machine.node for unit in units for machine in unit.booting}
    executor.end(booting, "the job can't get all its nodes")
    reasons: dict[str, list[str]] = {}
    for unit in units:
        own = (*unit.missing, *(machine.node for machine in unit.booting))
        reasons.setdefault(availability.why_not(unit), []).extend(own)
    for reason, names in reasons.items():
        _set_free(executor, view, names, reason)
    for (until, reason), ids in availability.to_wait(units, jobs).items():
        executor.postpone(ids, until, reason)
    at_work = {name for job in jobs if job.state != "CONFIGURING" for name in job.nodes}
    others = [machine.node for unit in units for machine in unit.up if machine.node not in at_work]
    others = [
        name for name in others if view.seen[name].slurm not in (SlurmState.HELD, SlurmState.HELD_NOT_RESPONDING)
    ]
    # Power down without force, so that any job that has started there since this cycle began can finish.
    words = "powered down: the job can't get the rest of its nodes"
    executor.update(EventKind.POWER_DOWN, others, "power_down", "", words)


def _set_free(executor: Executor, view: ClusterView, names: Collection[str], reason: str) -> None:
    """Set nodes to down so that their jobs start elsewhere. Nodes drained by an administrator keep their reason."""
    held = [name for name in names if _is_held(view.seen[name])]
    executor.give_back([name for name in names if name not in held], reason)
    for name in held:
        own = view.seen[name].node
        executor.down([name], own.reason if own else reason)


def _is_held(this: NodeView) -> bool:
    """Return whether an administrator drained the node while it was starting."""
    return this.node is not None and "DRAIN" in this.node.states and not this.node.reason.startswith(REASON_PREFIX)


def resume_and_close(executor: Executor, view: ClusterView, availability: Availability) -> None:
    """Resume, close and power up nodes to match the pools that are open now.

    Resume nodes that we set to down if one of their pools is open again. Set unused nodes to down if all their pools
    are closed. Power up the nodes that must always be up.
    """
    resting = (*view.todo.get(Action.RESUME, ()), *view.todo.get(Action.RESUME_IF_OPEN, ()))
    ready = [this.name for this in resting if not availability.why(this.name)]
    executor.resume(ready)
    for reasons in (availability.outdated(resting), availability.free_nodes(view.seen.values())):
        for reason, names in reasons.items():
            executor.down(names, reason)
    kept = availability.to_keep_up(view.seen)
    executor.update(EventKind.POWER_UP, kept, "power_up", "", "powered up: must always be up")


def _grouped(view: ClusterView, action: Action, key: Callable[[NodeView], str]) -> dict[str, list[NodeView]]:
    groups: dict[str, list[NodeView]] = {}
    for this in view.todo.get(action, ()):
        groups.setdefault(key(this), []).append(this)
    return groups


def _names(seen: Iterable[NodeView]) -> list[str]:
    return [this.name for this in seen]


def _gone(this: NodeView) -> str:
    if not this.machine:
        return "its machine is gone"
    words = f"machine {this.machine.id} is gone"
    return f"{words}: {this.machine.failing}" if this.machine.failing else words


def _fault(this: NodeView) -> str:
    reason = this.node.reason.removeprefix(REASON_PREFIX) if this.node else ""
    return reason or "refused by Slurm"


def _drain_reason(this: NodeView, budget_spent: str) -> str:
    if this.cloud is CloudState.DOUBTFUL:
        return _MAY_BE_ENDING
    if this.cloud is CloudState.FAILING:
        return this.machine.failing if this.machine else "its machine is broken"
    return BUDGET_SPENT.removeprefix(REASON_PREFIX) + budget_spent
