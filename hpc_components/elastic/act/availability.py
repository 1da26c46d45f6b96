"""Determines which nodes can't get a machine at present, and why.

Slurm shows the reason, and jobs wait instead of being restarted over and over in vain.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from textwrap import shorten

from hpc_components.elastic.config import Config
from hpc_components.elastic.decide.reconcile import NodeView
from hpc_components.elastic.decide.table import CloudState
from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.model import Job, Pool
from hpc_components.elastic.names import queue_of
from hpc_components.elastic.plan.planner import Unit
from hpc_components.elastic.report.events import clock_time
from hpc_components.elastic.slurm.node_states import SlurmState, is_busy
from hpc_components.elastic.slurm.reasons import BUDGET_SPENT, REASON_PREFIX, Why

_REASON_LENGTH = 200
"""Maximum length of a reason, in characters, to keep the output of `sinfo -R` readable."""


class Availability:
    def __init__(self, config: Config, blocked: Mapping[Pool, BlockedPool], budget_spent: str = "") -> None:
        """`budget_spent` says why launches are stopped; empty if they are not."""
        self._config = config
        self._stopped = BUDGET_SPENT + budget_spent if budget_spent else ""
        self._blocked = blocked
        self._queues: dict[str, BlockedPool] = {}
        """Maps each queue whose pools are all blocked to the block that ends first."""
        for queue in config.queues:
            blocks = [blocked[pool] for pool in queue.pools if pool in blocked and blocked[pool].at_least <= 1]
            if len(blocks) == len(queue.pools):
                self._queues[queue.name] = min(blocks, key=lambda block: block.until)

    def why(self, name: str) -> str:
        queue = self._config.by_name.get(queue_of(name))
        if queue is None or name not in queue.nodes:
            return REASON_PREFIX + "not in elastic.json"
        block = self._queues.get(queue.name)
        return self._stopped or (reason_of(block) if block else "")

    def why_not(self, unit: Unit) -> str:
        """Return why no pool is left for a unit. A pool may still be open to other units."""
        reason = self.why(unit.missing[0])
        if reason:
            return reason
        asked = (*(machine.pool for machine in unit.up), *self._config.by_name[unit.queue].pools)
        blocks = [self._blocked[pool] for pool in asked if pool in self._blocked]
        blocks.sort(key=lambda block: block.why is not Why.QUOTA)  # quotas first, because an operator can raise them
        words = _words_of(blocks[0]) if blocks else "no machines now"
        return f"{REASON_PREFIX}this job: {words}"

    def to_wait(self, units: Iterable[Unit], jobs: Iterable[Job]) -> Mapping[tuple[float, str], list[int]]:
        """Return the jobs that are too large for their queue's open pools, keyed by the time until which they must
        wait and the reason.

        If these jobs didn't wait, Slurm would immediately choose nodes for them again.
        """
        waits: dict[tuple[float, str], list[int]] = {}
        owner = {name: unit for unit in units for name in (*unit.missing, *(each.node for each in unit.booting))}
        for job in jobs:
            for unit in {id(owner[name]): owner[name] for name in job.nodes if name in owner}.values():
                size = sum(queue_of(name) == unit.queue for name in job.nodes)
                if until := self._opens(unit.queue, size):
                    waits.setdefault((until, self.why_not(unit)), []).append(job.id)
                    break
        return waits

    def _opens(self, queue: str, size: int) -> float:
        """Return the earliest time at which one of the queue's pools may have `size` machines.

        Return 0 if a pool may have that many now, or if all pools are closed to orders of any size.
        """
        if self._stopped:
            return 0.0
        pools = self._config.by_name[queue].pools if queue in self._config.by_name else ()
        blocks = [self._blocked[pool] for pool in pools if pool in self._blocked]
        closed = [block.until for block in blocks if block.at_least <= size]
        return min(closed) if closed and len(closed) == len(pools) and queue not in self._queues else 0.0

    def free_nodes(self, seen: Iterable[NodeView]) -> Mapping[str, list[str]]:
        """Return the nodes that Slurm would allocate to jobs although they can't get a machine, keyed by reason."""
        reasons: dict[str, list[str]] = {}
        for this in seen:
            if this.slurm in (SlurmState.OFF, SlurmState.POWERING_DOWN) and this.node and not is_busy(this.node):
                reason = "" if {"DOWN", "DRAIN"} & this.node.states else self.why(this.name)
                if reason:
                    reasons.setdefault(reason, []).append(this.name)
        return reasons

    def outdated(self, resting: Iterable[NodeView]) -> Mapping[str, list[str]]:
        """Return the nodes that must go on waiting, but for another reason than Slurm shows, keyed by the new reason.

        Only reasons about the budget matter: others change with every attempt.
        """
        reasons: dict[str, list[str]] = {}
        for this in resting:
            why, shown = self.why(this.name), this.node.reason if this.node else ""
            if why and not shown.startswith(why) and (self._stopped or shown.startswith(BUDGET_SPENT)):
                reasons.setdefault(why, []).append(this.name)
        return reasons

    def to_keep_up(self, seen: Mapping[str, NodeView]) -> list[str]:
        if self._stopped:
            return []
        return [
            name
            for queue in self._config.queues
            if queue.name not in self._queues
            for name in queue.kept
            if name in seen and _is_simply_off(seen[name])
        ]


def reason_of(block: BlockedPool) -> str:
    """Return the reason that `sinfo -R` shows, e.g. `hpc: no capacity: ...; next try 14:05`."""
    return REASON_PREFIX + _words_of(block)


def _words_of(block: BlockedPool) -> str:
    return f"{_short(f'{block.why.value}: {block.pool}: {block.words}')}; next try {clock_time(block.until)}"


@lru_cache  # the same few blocks recur in every cycle
def _short(words: str) -> str:
    return shorten(words, _REASON_LENGTH, placeholder=" ...")


def _is_simply_off(this: NodeView) -> bool:
    states = this.node.states if this.node else frozenset()
    return (
        this.slurm is SlurmState.OFF
        and this.cloud in (CloudState.NONE, CloudState.ENDED)
        and "POWER_UP" not in states
        and not (this.node and is_busy(this.node))
    )
