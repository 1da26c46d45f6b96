"""What a simulated fleet costs, in nano-dollars: whole numbers, so that sums are exact."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from hpc_components.bill.amounts import rounded
from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.elastic.model import Pool
from hpc_components.forecast.run import FleetRun
from hpc_components.forecast.tally import Tally
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.list_cost import idle_cost
from hpc_components.spec.node_rates import node_rate
from hpc_components.spec.queue_defaults import is_reserved
from hpc_components.spec.queues import Queue

NANO = 10**9
HOUR = 3600
CENT = NANO // 100

_Key = TypeVar("_Key", bound=Hashable)


@dataclass
class Costs:
    """Costs of one fleet for the time of the jobs, in nano-dollars."""

    queues: dict[str, int] = field(default_factory=dict)
    """Cost of each queue's machines."""
    accounts: Counter[str] = field(default_factory=Counter)
    """Cost of what the jobs of each account used of the machines, lost work included."""
    standing: dict[str, int] = field(default_factory=dict)
    """Cost of what always runs, apart from nodes, by purpose."""
    unpriced: set[str] = field(default_factory=set)
    """Machines whose price is unknown, and which therefore cost nothing here."""

    @property
    def machines(self) -> int:
        return sum(self.queues.values())

    @property
    def unused(self) -> int:
        """Cost of machines while they boot or wait for jobs, and of the parts of nodes that no job uses."""
        return self.machines - self.accounts.total()

    @property
    def total(self) -> int:
        return self.machines + sum(self.standing.values())


def costs_of(cluster: ClusterSpec, run: FleetRun) -> Costs:
    found = Costs()
    seconds = run.last - (run.first or 0)
    for name, queue_run in run.queues.items():
        queue, tally = cluster.queue(name), queue_run.tally
        listed = {pool: rate_of(cluster, queue, pool) for pool in queue_run.queue.config.pools}
        found.unpriced |= {pool.machine for pool in tally.machine_seconds if listed[pool] is None}
        rates = {pool: rate or 0 for pool, rate in listed.items()}
        used = _used(tally, rates, queue_run.queue.cpus)
        found.accounts.update(used)
        found.queues[name] = max(_machines(queue, tally, rates, seconds), used.total())
    for what, usd in idle_cost(cluster).items():
        if not what.startswith("queue "):
            found.standing[what] = _nano(usd) * seconds // (HOURS_PER_MONTH * HOUR)
    return found


def _machines(queue: Queue, tally: Tally, rates: Mapping[Pool, int], seconds: int) -> int:
    """Return the cost of a queue's machines. Reserved machines cost the same whether they run or not."""
    if is_reserved(queue):
        return queue.max * next(iter(rates.values())) * seconds // HOUR
    return sum(rates[pool] * spent for pool, spent in tally.machine_seconds.items()) // HOUR


def _used(tally: Tally, rates: Mapping[Pool, int], cpus: int) -> Counter[str]:
    spent: Counter[str] = Counter()
    for (account, pool), units in tally.unit_seconds.items():
        spent[account] += rates[pool] * units
    return Counter({account: amount // (HOUR * cpus) for account, amount in spent.items()})


def rate_of(cluster: ClusterSpec, queue: Queue, pool: Pool) -> int | None:
    """Return the nano-dollars that a machine of the pool costs per hour, or None if that is unknown."""
    found = node_rate(cluster, queue, pool.machine)
    return None if found is None else int(found.usd_per_hour * NANO)


def _nano(usd: float) -> int:
    return round(usd * NANO)


def in_cents(amounts: Mapping[_Key, int]) -> dict[_Key, int]:
    """Round amounts to cents so that they add up to the rounded sum (largest remainder)."""
    total = (sum(amounts.values()) + CENT // 2) // CENT
    return dict(zip(amounts, rounded(list(amounts.values()), CENT, total), strict=True))
