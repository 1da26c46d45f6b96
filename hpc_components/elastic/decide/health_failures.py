from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.elastic.decide.boot_failures import MIN_FAILURES, PENDING_PER_FAILURE
from hpc_components.elastic.decide.reconcile import ClusterView
from hpc_components.elastic.decide.table import ALIVE, Action, CloudState
from hpc_components.elastic.journal.entries import BlockedPool, next_block
from hpc_components.elastic.model import Instance, Pool
from hpc_components.elastic.slurm.reasons import UNHEALTHY, Why

WINDOW_SECONDS = 3600.0
"""Failures within this many seconds count together. A few machines of a large pool fail each week; several in an hour
mean that the image, the file systems or the zone are broken, and new machines would fail as well."""

PROLOG_ERROR = "Prolog error"
"""Reason that Slurm sets on a node whose prolog has failed. `hpc-health` replaces it within moments by its own."""

_THERE = ALIVE | {CloudState.MISSING}


@dataclass(frozen=True, kw_only=True)
class Unhealthy:
    """A machine that has failed a check of its health."""

    machine: Instance
    node: str
    check: str
    """Name of the check that failed first, or `prolog` if a script of the description failed before a job."""
    words: str
    """What the check has found."""


class HealthFailures:
    """Notices nodes that `hpc-health` has drained. Pools with too many of them are blocked for a while.

    The nodes themselves are handled by the decision table, like all that were drained in our name. What is counted
    here is lost with the daemon: the worst effect is that a broken pool gets a few machines more.
    """

    def __init__(self, cooldown: float) -> None:
        self._cooldown = cooldown
        self._known: set[str] = set()
        """Ids of machines that were noticed and still exist."""
        self._failures: dict[Pool, list[float]] = {}
        """Times of the failures since each pool was last blocked, in seconds since the epoch."""
        self._blocks: dict[Pool, tuple[float, int]] = {}
        """End of each pool's last block, and how many blocks came in a row."""

    def notice(self, view: ClusterView) -> list[Unhealthy]:
        """Return the machines that have become unhealthy since the last call."""
        found = list(_unhealthy(view))
        new = [each for each in found if each.machine.id not in self._known]
        self._known = {each.machine.id for each in found}
        for each in new:
            self._failures.setdefault(each.machine.pool, []).append(view.now)
        return new

    def blocks(self, view: ClusterView) -> list[BlockedPool]:
        """Return blocks for pools with too many failures. Each block in a row lasts twice as long as the last one."""
        return [block for pool in list(self._failures) if (block := self._block(pool, view)) is not None]

    def _block(self, pool: Pool, view: ClusterView) -> BlockedPool | None:
        now = view.now
        recent = [at for at in self._failures[pool] if now - WINDOW_SECONDS <= at]
        if not recent:
            del self._failures[pool]
            return None
        self._failures[pool] = recent
        machines = (this.machine for this in view.seen.values() if this.cloud in ALIVE)
        alive = sum(machine is not None and machine.pool == pool for machine in machines)
        if len(recent) < max(MIN_FAILURES, alive // PENDING_PER_FAILURE):
            return None
        del self._failures[pool]
        until, times = self._blocks.get(pool, (0.0, 0))
        times = times if now - WINDOW_SECONDS <= until else 0
        pause = next_block(self._cooldown, times)
        self._blocks[pool] = now + pause, times + 1
        words = f"{len(recent)} machines failed within an hour"
        return BlockedPool(pool=pool, until=now + pause, words=words, why=Why.HEALTH)


def _unhealthy(view: ClusterView) -> Iterator[Unhealthy]:
    for this in view.todo.get(Action.MARK_DOWN_AND_POWER_OFF, ()):
        # Slurm starts the job of a failed prolog elsewhere, so a script that always fails would drain node after node
        if this.node and this.machine and this.node.reason.startswith(PROLOG_ERROR):
            yield Unhealthy(machine=this.machine, node=this.name, check="prolog", words=this.node.reason)
    for this in view.seen.values():
        node, machine = this.node, this.machine
        if node and machine and "DRAIN" in node.states and this.cloud in _THERE and node.reason.startswith(UNHEALTHY):
            check, _, words = node.reason.removeprefix(UNHEALTHY).partition(": ")
            yield Unhealthy(machine=machine, node=this.name, check=check, words=words)
