from collections.abc import Callable, Collection, Mapping

from hpc_components.elastic.config import Config
from hpc_components.elastic.journal.entries import BlockedPool
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Pool
from hpc_components.elastic.plan.planner import Order
from hpc_components.elastic.slurm.reasons import Why

ENDING_PAUSE_SECONDS = 60.0
"""How long, in seconds, a pool without capacity is blocked if this cluster is terminating machines there. Those
machines will soon free capacity."""


class PoolBlocks:
    """Blocked pools: those recorded in the journal, and those blocked for this cycle only."""

    def __init__(self, config: Config, journal: Journal, clock: Callable[[], float]) -> None:
        self._config = config
        self._journal = journal
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        self.ending: Collection[Pool] = ()
        """Pools in which this cluster is terminating machines."""
        self.failed: set[Pool] = set()
        """Pools that are not tried again in this cycle."""

    def add(self, pool: Pool, words: str, why: Why = Why.CAPACITY, *, at_least: int = 1) -> None:
        """Block a pool for the cool-down period.

        With `at_least`, only orders for at least that many machines are blocked.
        """
        former = self._journal.blocked.get(pool)
        if former is None or at_least <= former.at_least:
            soon = why is Why.CAPACITY and pool in self.ending
            pause = min(ENDING_PAUSE_SECONDS, self._config.cooldown) if soon else self._config.cooldown
            until = self._clock() + pause
            self._journal.block(BlockedPool(pool=pool, until=until, words=words, why=why, at_least=at_least))
        # A blocked pool is still tried for a job whose other nodes are booting there, so rule it out for this cycle.
        if at_least == 1 or (former and former.at_least < at_least):
            self.failed.add(pool)

    def closed(self) -> tuple[Mapping[Pool, int], set[Pool]]:
        """Return the arguments `closed` and `failed` of `plan_launches`: a mapping from each blocked pool to the
        smallest order size that is blocked there, and the set of unusable pools.
        """
        blocked = self._journal.blocked
        useless = {pool for pool, block in blocked.items() if block.why is not Why.CAPACITY and block.at_least == 1}
        return {pool: block.at_least for pool, block in blocked.items()}, self.failed | useless

    def may_have(self, order: Order) -> bool:
        """Return whether the order's pool is still usable.

        An answer may have changed that since the order was planned.
        """
        block = self._journal.blocked.get(order.pool)
        return order.pool not in self.failed and not (block and 1 < block.at_least <= order.needs[0])
