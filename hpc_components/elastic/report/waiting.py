from collections.abc import Iterable, Mapping

from hpc_components.elastic.budget.look import Look
from hpc_components.elastic.config import Config
from hpc_components.elastic.decide.reconcile import COMING, ClusterView, NodeView
from hpc_components.elastic.decide.table import Action, CloudState
from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Pool
from hpc_components.elastic.names import queue_of
from hpc_components.elastic.report.events import Wait
from hpc_components.elastic.slurm.node_states import SlurmState

BUSY_PAUSE_SECONDS, IDLE_PAUSE_SECONDS = 5.0, 30.0
"""Seconds between cycles while machines are up or starting, and at all other times."""
MIN_PAUSE_SECONDS = 1.0

_CALM = {SlurmState.OFF, SlurmState.OFF_HELD, SlurmState.NO_CAPACITY, SlurmState.FAILED, SlurmState.DOWN_HELD}
_NOTHING = {CloudState.NONE, CloudState.ENDED}
_WAITING = (Action.WAIT, Action.WARN, Action.RESUME_IF_OPEN)


def next_pause(view: ClusterView, waits: Iterable[Wait], now: float) -> float:
    """Return the number of seconds until the next cycle, which is due as soon as a wait ends."""
    if not all(this.slurm in _CALM and this.cloud in _NOTHING for this in view.seen.values()):
        return BUSY_PAUSE_SECONDS
    due = min((wait.until for wait in waits if wait.until > view.now), default=now + IDLE_PAUSE_SECONDS)
    return min(IDLE_PAUSE_SECONDS, max(MIN_PAUSE_SECONDS, due - now))


def pending_waits(
    config: Config,
    view: ClusterView,
    blocked: Mapping[Pool, BlockedPool],
    launch_from: float,
    list_lag: float,
    budget: Look | None = None,
) -> tuple[Wait, ...]:
    """Return one wait for each group of nodes that are waiting for the same thing until the same time.

    Nothing is launched before `launch_from`, in seconds since the epoch. `list_lag` is the maximum delay, in seconds,
    before a machine appears in the cloud's list. While the `budget` stops launches, nodes wait until it renews.
    """
    groups: dict[tuple[str, str, float], list[str]] = {}
    if launch_from > view.now:
        words = (
            "launches are paused because the journal was lost, and the cloud's list may not show earlier launches yet"
        )
        for this in view.todo.get(Action.LAUNCH, ()):
            groups.setdefault((queue_of(this.name), words, launch_from), []).append(this.name)
    for this in _waiting(view):
        queue = queue_of(this.name)
        if budget and budget.stopped and this.slurm is SlurmState.NO_CAPACITY:
            groups.setdefault((queue, budget.why, float(budget.renews)), []).append(this.name)
            continue
        warned = view.rows[this.name].action is Action.WARN
        until = 0.0 if warned else _until(config, this, blocked, list_lag)
        groups.setdefault((queue, view.rows[this.name].why, until), []).append(this.name)
    return tuple(Wait(nodes=tuple(names), until=until, words=why) for (_, why, until), names in groups.items())


def _waiting(view: ClusterView) -> Iterable[NodeView]:
    return (this for action in _WAITING for this in view.todo.get(action, ()))


def _until(config: Config, this: NodeView, blocked: Mapping[Pool, BlockedPool], list_lag: float) -> float:
    if this.slurm is SlurmState.NO_CAPACITY:
        return min((block.until for pool, block in blocked.items() if pool.queue == queue_of(this.name)), default=0.0)
    if this.slurm is SlurmState.FAILED:
        return this.since + config.cooldown
    if this.slurm in COMING and this.cloud is not CloudState.MISSING:
        asked = this.cloud is CloudState.ASKED or this.machine is None
        return 0.0 if asked else this.known_since + config.boot_timeout
    if this.slurm in (SlurmState.DRAINING, SlurmState.DRAINING_NOT_RESPONDING) and this.cloud is not CloudState.NONE:
        return 0.0
    return this.since + list_lag
