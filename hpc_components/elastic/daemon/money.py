from collections.abc import Collection

from hpc_components.elastic import months
from hpc_components.elastic.act.executor import Executor
from hpc_components.elastic.budget.budget import Budget
from hpc_components.elastic.budget.look import Look
from hpc_components.elastic.decide.reconcile import ClusterView
from hpc_components.elastic.ledger.ledger import Ledger
from hpc_components.elastic.ledger.sighting import sighting
from hpc_components.elastic.model import Instance
from hpc_components.elastic.report.events import Costs, EventKind


class Money:
    """The part of a cycle that records costs in the ledger, and judges the budget."""

    def __init__(self, executor: Executor, ledger: Ledger | None, budget: Budget | None) -> None:
        self._executor = executor
        self._ledger = ledger
        self._budget = budget
        self._ledger_problem = ""
        self.look: Look | None = None
        """The budget in this cycle, or None if the daemon watches none."""

    def judge(self, now: float) -> str:
        """Return why launches are stopped because of the budget, or an empty string if they are not."""
        if self._budget is None:
            return ""
        self.look = self._budget.look(now)
        for words in self._budget.news:
            self._executor.tell(EventKind.BUDGET, (), words)
        return self.look.why if self.look.stopped else ""

    def record(self, view: ClusterView, instances: Collection[Instance], answered: Collection[Instance]) -> None:
        """Record what the cycle has seen and done. `answered` contains the machines from answers to launches."""
        if self._ledger is None:
            return
        self._ledger.see(sighting(view, instances, answered, self._executor.ended))
        self._executor.calls += self._ledger.calls
        before, self._ledger_problem = self._ledger_problem, self._ledger.problem
        if self._ledger_problem != before:
            self._executor.tell(EventKind.LEDGER, (), self._ledger_problem or "costs are recorded again")

    def costs(self, now: float) -> Costs | None:
        """Return what the month has cost so far, or None without a ledger."""
        if self._ledger is None:
            return None
        spending = self._ledger.spending
        return Costs(
            month=months.begins(now),
            queues=spending.by_queue(now),
            services=spending.services(now),
            rate=spending.rate(now),
            unpriced=tuple(f"{pool.queue}: {pool}" for pool in spending.unpriced(now)),
        )
