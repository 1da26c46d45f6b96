"""Which pools the launches of a cycle may use."""

from collections.abc import Callable, Collection, Mapping

from hpc_components.elastic.config import Config
from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Pool
from hpc_components.elastic.plan.planner import Order
from hpc_components.elastic.slurm.reasons import Why

ENDING_PAUSE_SECONDS = 60.0
"""Seconds for which a pool without capacity is left alone while machines of ours end there, whose capacity becomes
free."""


class PoolBlocks:
    """Blocks of pools: those in the journal, and those that hold for this cycle only."""

    def __init__(self, config: Config, journal: Journal, clock: Callable[[], float]) -> None:
        self._config = config
        self._journal = journal
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Start a new cycle."""
        self.ending: Collection[Pool] = ()
        """Pools in which machines of ours are being ended."""
        self.failed: set[Pool] = set()
        """Pools that are not asked again in this cycle."""

    def add(self, pool: Pool, words: str, why: Why = Why.CAPACITY, *, at_least: int = 1) -> None:
        """Leave a pool alone for the cool-down; with `at_least`, only for orders of that many machines or more."""
        former = self._journal.blocked.get(pool)
        if former is None or at_least <= former.at_least:
            soon = why is Why.CAPACITY and pool in self.ending
            pause = min(ENDING_PAUSE_SECONDS, self._config.cooldown) if soon else self._config.cooldown
            until = self._clock() + pause
            self._journal.block(BlockedPool(pool=pool, until=until, words=words, why=why, at_least=at_least))
        if at_least == 1 or (former and former.at_least < at_least):  # asked all the same, for a job that boots there
            self.failed.add(pool)

    def closed(self) -> tuple[Mapping[Pool, int], set[Pool]]:
        """Return arguments for `plan_launches`: pools left alone, with the smallest order held back, and unusable
        pools."""
        blocked = self._journal.blocked
        useless = {pool for pool, block in blocked.items() if block.why is not Why.CAPACITY and block.at_least == 1}
        return {pool: block.at_least for pool, block in blocked.items()}, self.failed | useless

    def may_have(self, order: Order) -> bool:
        """Return whether its pool is still usable; an answer may have changed that since the order was planned."""
        block = self._journal.blocked.get(order.pool)
        return order.pool not in self.failed and not (block and 1 < block.at_least <= order.needs[0])
