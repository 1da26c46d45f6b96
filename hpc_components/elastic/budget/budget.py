from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from hpc_components.elastic.budget.look import Look, judge
from hpc_components.elastic.budget.notices import Notice, due
from hpc_components.elastic.budget.record import BudgetRecord, Month
from hpc_components.elastic.budget.webhook import Webhook
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.model import Pool
from hpc_components.elastic.months import month_of

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

    def unpriced(self, now: float) -> Sequence[Pool]:
        """Return the pools whose running machines have no known price, and are not counted."""
        ...


class Budget:
    """Judges the cluster's budget in every cycle, and sends notices."""

    def __init__(
        self,
        cluster: str,
        config: BudgetConfig,
        spending: Spending,
        record: BudgetRecord,
        webhook: Webhook | None = None,
    ) -> None:
        self._cluster = cluster
        self._config = config
        self._spending = spending
        self._record = record
        self._webhook = webhook
        self._sent: tuple[str, Notice] | None = None
        """The notice whose answer has not come yet, and its month."""
        self._failed = ""
        self._written: tuple[str, Month] | None = None
        self._stopped: bool | None = None
        self._unpriced: Sequence[Pool] = ()
        self.news: list[str] = []
        """What the last look changed, for operators."""

    def look(self, now: float) -> Look:
        """Return the budget at `now`. A record that can't be written is in `news`, and counts anyway."""
        self.news = []
        name = month_of(now)
        self._hear(now)
        before = self._record.month(name)
        recorded, rate = self._spending.month_to_date(now), self._spending.rate(now)
        look, month = judge(self._config, before, recorded, rate, now)
        stopped = bool(before.stopped_at) if self._stopped is None else self._stopped
        if stopped != look.stopped:
            words = f"launches stop: {look.why}" if look.stopped else "launches start again: there is money left"
            self.news.append(words)
        self._stopped = look.stopped
        self._tell_unpriced(self._spending.unpriced(now))
        self._notify(name, look, month, now)
        self._keep(name, month)
        return look

    def _tell_unpriced(self, pools: Sequence[Pool]) -> None:
        if pools and pools != self._unpriced:
            names = "; ".join(map(str, pools))
            self.news.append(f"the budget does not count machines without a known price: {names}")
        self._unpriced = pools

    def _notify(self, name: str, look: Look, month: Month, now: float) -> None:
        if self._webhook is None or self._sent or not self._webhook.may_send(now):
            return
        if notice := due(self._cluster, self._config, look, month):
            self._sent = name, notice
            self._webhook.send(notice.text)

    def _hear(self, now: float) -> None:
        """Note the answer to the last notice. A notice counts as told once it has been answered, so one that was
        under way when the daemon was killed is sent again.
        """
        answer = self._webhook.answer(now) if self._webhook else None
        if answer is None or self._sent is None:
            return
        name, notice = self._sent
        self._sent = None
        if answer:
            if answer != self._failed:
                self.news.append(f"can't send a notice about the budget, which is tried again: {answer}")
            self._failed = answer
            return
        self._failed = ""
        self.news.append(f"told the webhook: {notice.text}")
        month = self._record.month(name)
        self._write(name, replace(month, told=tuple(dict.fromkeys((*month.told, *notice.settles)))))

    def _keep(self, name: str, month: Month) -> None:
        if self._written is None or self._written[0] != name or self._has_changed(self._written[1], month):
            self._write(name, month)

    def _has_changed(self, before: Month, month: Month) -> bool:
        grown = abs(month.recorded - before.recorded) * _STEPS >= self._config.monthly
        return grown or (month.limit, month.lost, month.stopped_at) != (before.limit, before.lost, before.stopped_at)

    def _write(self, name: str, month: Month) -> None:
        self._written = name, month
        try:
            self._record.put(name, month)
        except OSError as error:
            self.news.append(f"can't write the budget's record: {error}")
