"""Slurm's backfill scheduler: starts jobs out of order where that delays no planned start."""

from collections.abc import Callable, Mapping
from itertools import islice

from hpc_components.forecast.demand import Demand
from hpc_components.forecast.fleet import Scheduling
from hpc_components.forecast.plan import Plan
from hpc_components.forecast.waiting import Line, Waiting

PLANNED_JOBS = 100
"""Number of waiting jobs for which backfill plans a start. Jobs behind them start where they delay none of these."""


class Backfill:
    def __init__(self, line: Line, settings: Scheduling, start: Callable[[Waiting, int], bool]) -> None:
        """`start` gives a job nodes at a time, if there are any, and returns whether it did."""
        self._line, self._settings, self._start = line, settings, start

    def run(self, plan: Plan, shortest: Mapping[int, int], now: int) -> None:
        """Start every job that delays no planned start of the jobs before it.

        `shortest` is the shortest time limit of the waiting jobs of each size that is free.
        """
        planned = 0
        for waiting in list(islice(self._line.in_order(), min(PLANNED_JOBS, self._settings.backfill_depth))):
            if not any(plan.free_until(units) >= now + limit for units, limit in shortest.items()):
                return
            planned = waiting.number
            if not self._fill(plan, waiting, now):
                self._reserve(plan, waiting.demand, now)
        if len(self._line) > PLANNED_JOBS:
            self._fill_behind(plan, planned, now)

    def _fill_behind(self, plan: Plan, after: int, now: int) -> None:
        """Start jobs behind those that have a planned start."""
        end = self._line.number_at(self._settings.backfill_depth)
        tried: set[Demand] = set()
        while True:
            heads = [
                head
                for units, shortest in self._line.shortest(plan.free[0]).items()
                if (until := plan.free_until(units)) >= self._rounded(now + shortest)
                for demand in self._line.demands(units)
                if until >= self._rounded(now + demand.limit)
                and demand not in tried
                and (head := self._line.head(demand, after))
                and head.number <= end
            ]
            if not heads:
                return
            first = min(heads, key=lambda each: each.number)
            if not self._fill(plan, first, now):
                tried.add(first.demand)

    def _fill(self, plan: Plan, waiting: Waiting, now: int) -> bool:
        demand, end = waiting.demand, self._rounded(now + waiting.demand.limit)
        if plan.free_until(demand.units) < end or not self._start(waiting, now):
            return False
        plan.take(now, end - now, demand.units)
        self._line.remove(waiting)
        return True

    def _reserve(self, plan: Plan, demand: Demand, now: int) -> None:
        """Plan a start, with its beginning rounded down and its end rounded up.

        Source: Slurm source code, 24.11, src/plugins/sched/backfill/backfill.c. 22.05 rounds the end down.
        """
        start = plan.earliest(demand.units, demand.limit, later=True)
        if start is not None and start <= now + self._settings.backfill_window:
            begin = max(start - start % self._settings.backfill_resolution, now)
            plan.take(begin, self._rounded(start + demand.limit) - begin, demand.units)

    def _rounded(self, time: int) -> int:
        step = self._settings.backfill_resolution
        return -(-time // step) * step
