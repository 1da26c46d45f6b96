"""The simulated cloud's own meter: a second of a machine costs a dollar. And the budget of its cluster."""

from typing import TYPE_CHECKING

from hpc_components.elastic.budget.budget import Budget
from hpc_components.elastic.budget.record import BudgetRecord, Month
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.model import Pool

if TYPE_CHECKING:
    from elastic.simulation.world import World

USD = 10**9


class Meter:
    """What all machines have cost, also those that nobody can know of."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.usd = 0.0
        self.limit: float | None = None
        """The budget in USD. None: there is none."""
        self.months: dict[str, Month] = {}
        """The daemon's record, which outlives it."""

    def pass_time(self, seconds: float) -> None:
        self.usd += seconds * len(self.world.cloud.alive)

    def month_to_date(self, now: float) -> int:
        return round(self.usd * USD)

    def rate(self, now: float) -> int:
        return 3600 * USD * len(self.world.cloud.alive)

    def unpriced(self, now: float) -> tuple[Pool, ...]:
        return ()

    def budget(self) -> Budget | None:
        """For a daemon that starts."""
        if self.limit is None:
            return None
        config = BudgetConfig(monthly=round(self.limit * USD), stop_launches=True)
        return Budget("sim", config, self, MemoryRecord(self.months))


class MemoryRecord(BudgetRecord):
    """A disk that outlives the daemon."""

    def __init__(self, months: dict[str, Month]) -> None:
        self._months = months

    def put(self, name: str, month: Month) -> None:
        self._months[name] = month
