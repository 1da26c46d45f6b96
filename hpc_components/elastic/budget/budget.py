from typing import Protocol

from hpc_components.elastic.budget.look import Look, judge
from hpc_components.elastic.budget.months import month_of
from hpc_components.elastic.budget.record import BudgetRecord, Month
from hpc_components.elastic.config import BudgetConfig

_STEPS = 1000
"""The figure of a month is written whenever it has grown by one part in this many of the budget."""


class Spending(Protocol):
    """What the ledger knows of money."""

    def month_to_date(self, now: float) -> int:
        """Return the nano-USD since the beginning of the month, in UTC."""
        ...

    def rate(self, now: float) -> int:
        """Return the nano-USD per hour of everything that runs now."""
        ...


class Budget:
    """Judges the cluster's budget in every cycle."""

    def __init__(self, config: BudgetConfig, spending: Spending, record: BudgetRecord) -> None:
        self._config = config
        self._spending = spending
        self._record = record
        self._written: tuple[str, Month] | None = None
        self._stopped: bool | None = None
        self.news: list[str] = []
        """What the last look changed, for operators."""

    def look(self, now: float) -> Look:
        name = month_of(now)
        before = self._record.month(name)
        look, month = judge(self._config, before, self._spending.month_to_date(now), self._spending.rate(now), now)
        self.news = []
        stopped = bool(before.stopped_at) if self._stopped is None else self._stopped
        if stopped != look.stopped:
            self.news += [
                f"launches stop: {look.why}" if look.stopped else "launches start again: there is money left"
            ]
        self._stopped = look.stopped
        self._keep(name, month)
        return look

    def _keep(self, name: str, month: Month) -> None:
        if self._written is not None and self._written[0] == name and not self._has_grown(self._written[1], month):
            return
        self._written = name, month
        try:
            self._record.put(name, month)
        except OSError as error:
            self.news += [f"can't write the budget's record: {error}"]

    def _has_grown(self, before: Month, month: Month) -> bool:
        grown = abs(month.recorded - before.recorded) * _STEPS >= self._config.monthly
        return grown or (month.lost, month.stopped_at, month.told) != (before.lost, before.stopped_at, before.told)
