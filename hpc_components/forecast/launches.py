"""Machines for nodes, launched as the elastic daemon does: its own planner chooses the pools."""

from collections.abc import Sequence

from hpc_components.elastic.config import QueueConfig
from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Pool
from hpc_components.elastic.names import node_name
from hpc_components.elastic.plan.planner import Unit, plan_launches
from hpc_components.forecast.misfortune import Misfortune
from hpc_components.forecast.tally import Tally


class Launches:
    """The launches of one queue."""

    def __init__(
        self, queue: QueueConfig, limits: Limits, cooldown: int, misfortune: Misfortune, tally: Tally
    ) -> None:
        self._queue, self._limits, self._cooldown = queue, limits, cooldown
        self._misfortune, self._tally = misfortune, tally
        self._closed: dict[Pool, int] = {}
        """When each pool that had no capacity may be tried again."""

    def opens(self, now: int) -> int:
        """Return when a pool may have machines: 0 if one may have now, else the end of the first cool-down."""
        if self._closed:
            self._closed = {pool: until for pool, until in self._closed.items() if until > now}
        return 0 if len(self._closed) < len(self._queue.pools) else min(self._closed.values())

    def launch(self, numbers: Sequence[int], now: int) -> dict[int, Pool] | None:
        """Return the pool of each node's machine. Return None if no pool has machines for all of them."""
        unit = Unit(
            queue=self._queue.name, missing=tuple(node_name(self._queue.name, each) for each in sorted(numbers))
        )
        while not self.opens(now):
            plan = plan_launches(
                [unit],
                {self._queue.name: self._queue.pools},
                dict.fromkeys(self._closed, 1),
                (),
                limits=self._limits,
                in_one_pool=(),
            )
            if plan.stuck:
                return None
            refused = [order.pool for order in plan.orders if self._misfortune.has_no_capacity()]
            if not refused:
                return {int(name.rpartition("-")[2]): order.pool for order in plan.orders for name in order.nodes}
            self._tally.refusals += len(refused)
            self._closed |= dict.fromkeys(refused, now + self._cooldown)
        return None
