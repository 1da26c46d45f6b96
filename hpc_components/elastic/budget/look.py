from dataclasses import dataclass

from hpc_components.elastic import months
from hpc_components.elastic.budget.record import Month
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.money import told
from hpc_components.elastic.slurm.reasons import OF_BUDGET

AHEAD_SECONDS = 30.0
"""Launches stop if the budget would be spent within this many seconds, at most the pause between two cycles."""
FORECAST_AFTER_SECONDS = 3 * 86400.0
"""No forecast is made in the first days of a month, because a day's use says little about the rest."""
_LOST_SHARE = 10
"""A figure that falls by more than one part in this many was lost. Smaller corrections are the ledger's own: the
cloud may tell a machine's end later, and more exactly."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """The budget at one moment. Amounts are in nano-USD."""

    at: float
    """Seconds since the epoch."""
    limit: int
    spent: int
    """Spent since the beginning of the month, in UTC."""
    rate: int
    """Nano-USD per hour of everything that runs now."""
    stopped: bool
    """Whether launches are stopped until the month ends or the budget is raised."""
    forecast: int | None
    """What the month will have cost if it goes on as it has so far, or None in its first days."""

    @property
    def left(self) -> int:
        return max(0, self.limit - self.spent)

    @property
    def percent(self) -> float:
        return 100 * self.spent / self.limit

    @property
    def renews(self) -> int:
        """First second of the next month, in seconds since the epoch."""
        return months.ends(self.at)

    @property
    def spent_at(self) -> float | None:
        """Time at which the budget is spent if everything goes on running, in seconds since the epoch. None if it is
        spent already, or if that is not in this month.
        """
        if not self.rate or not self.left:
            return None
        at = self.at + self.left / self.rate * 3600
        return at if at < self.renews else None

    @property
    def why(self) -> str:
        """Why launches are stopped, for everyone who waits."""
        month, renewal = months.name_of(self.at), months.name_of(self.renews)
        return f"{OF_BUDGET}{told(self.limit)} for {month} is spent; renews on 1 {renewal}, 0:00 UTC"


def judge(config: BudgetConfig, month: Month, recorded: int, rate: int, now: float) -> tuple[Look, Month]:
    """Return the budget at `now`, and what to remember of its month.

    - `month`: what is remembered
    - `recorded`: nano-USD since the beginning of the month, as the ledger shows it
    - `rate`: nano-USD per hour

    Once stopped, launches stay stopped: as machines end, the rate falls, and a figure just below the limit would
    otherwise start a few more for seconds. If the ledger was lost, what it had shown still counts.
    """
    lost = month.lost
    if recorded < month.recorded - month.recorded // _LOST_SHARE:
        lost += month.recorded - recorded
    spent = recorded + lost
    due = spent + int(rate * AHEAD_SECONDS / 3600) >= config.monthly
    stopped = config.stop_launches and (due or month.stopped_at >= config.monthly)
    remembered = Month(
        limit=config.monthly,
        recorded=recorded,
        lost=lost,
        stopped_at=config.monthly if stopped else 0,
        told=month.told if month.limit == config.monthly else (),  # a changed budget sends its notices again
    )
    elapsed = now - months.begins(now)
    forecast = None
    if elapsed >= FORECAST_AFTER_SECONDS:
        forecast = int(spent * (months.ends(now) - months.begins(now)) / elapsed)
    look = Look(at=now, limit=config.monthly, spent=spent, rate=rate, stopped=stopped, forecast=forecast)
    return look, remembered
