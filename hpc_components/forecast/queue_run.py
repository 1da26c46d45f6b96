"""Simulates one queue: Slurm's two schedulers, and the jobs that they start on its machines."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop
from itertools import count
from typing import Any

from hpc_components.forecast.backfill import Backfill
from hpc_components.forecast.demand import demand_of
from hpc_components.forecast.fleet import Fleet, QueueModel
from hpc_components.forecast.jobs import Job
from hpc_components.forecast.machines import BACK, BACKFILL, CHANGE, JOB_END, SCHEDULE, QueueMachines
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.nodes import BOOTING, OFF, Node
from hpc_components.forecast.plan import Plan
from hpc_components.forecast.waiting import Line, Waiting
from hpc_components.forecast.warm import Warm


@dataclass(slots=True, eq=False)
class Running:
    waiting: Waiting
    nodes: list[Node]
    start: int
    expected: int
    """When Slurm's plan expects the end: at the time limit."""
    over: bool = False


class QueueRun(QueueMachines):
    """One queue over time. Jobs must be submitted in order."""

    def __init__(self, queue: QueueModel, fleet: Fleet, assumed: Assumptions, warm: Sequence[Warm] = ()) -> None:
        super().__init__(queue, fleet, assumed, warm)
        self._line, self._numbers = Line(), count(1)
        self._backfills = Backfill(self._line, fleet.scheduling, self._start)
        self._backfills_at = 0
        self._schedules_at = -1
        self._ended = 0
        """When the last job ended so far, or the first was submitted."""

    def begin(self, now: int) -> None:
        self._ended = now
        self._begin_kept(now)

    def submit(self, job: Job, considered: int) -> None:
        """Add a job to the line. At the time `considered`, Slurm looks at the jobs that were submitted until then.

        What happens in the second of the submission happens after it, so that an end lets the job start.
        """
        self.tally.submitted += 1
        demand = demand_of(job, self.queue)
        if isinstance(demand, str):
            self.tally.refuse(demand, job.name)
            return
        self._line.add(Waiting(next(self._numbers), job, demand))
        if considered > self._schedules_at:
            self._schedules_at = considered
            self._at(considered, SCHEDULE)

    @property
    def next_time(self) -> float:
        """When something happens next."""
        return self._events[0][0] if self._events else math.inf

    def look(self, now: int) -> None:
        """Let Slurm look at submitted jobs that it has not considered yet."""
        if self._schedules_at > now:
            self._schedules_at = now
            self._at(now, SCHEDULE)

    def advance(self, until: float) -> bool:
        """Let everything happen that happens until then. Return whether a job ended."""
        before, events = self.tally.ended, self._events
        while events and events[0][0] <= until:
            now = events[0][0]
            changed = False
            while events and events[0][0] == now:
                _, kind, _, what = heappop(events)
                changed |= self._handlers[kind](self, now, what)
            if changed and len(self._line):
                self._start_first(now)
                self._request_backfill(now)
                self.tally.most_waiting = max(self.tally.most_waiting, len(self._line))
        return self.tally.ended != before

    def finish(self) -> int:
        """Let everything happen until all jobs have ended and idle nodes are off. Return the time of that.

        Nodes that are kept may be lost and launched again without end, so the last events are left out.
        """
        while self._events and self.tally.unfinished:
            time, kind, _, _ = self._events[0]
            if kind == CHANGE and len(self._events) == 1:
                break  # nothing will ever start the jobs that wait
            self.advance(time)
        last, end = self._ended, self._ended + self.queue.idle_seconds + self._slurm.stop_seconds + 2
        while self._events and self._events[0][0] <= end:
            time, kind, _, _ = self._events[0]
            self.advance(time)
            if kind != CHANGE:
                last = time
        return last

    # What Slurm's schedulers do

    def _start_first(self, now: int) -> None:
        """Start jobs in order until one can't start, as Slurm's main scheduler does in each partition."""
        for waiting in self._line.in_order():
            if not self._start(waiting, now):
                return
            self._line.remove(waiting)

    def _schedule(self, now: int, _: object) -> bool:
        return True

    def _request_backfill(self, now: int) -> None:
        interval = self._slurm.backfill_interval
        if self._backfills_at <= now and len(self._line):
            self._backfills_at = now - now % interval + interval
            self._at(self._backfills_at, BACKFILL)

    def _backfill(self, now: int, _: object) -> bool:
        shortest = self._line.shortest(self._free)
        if shortest:
            self._backfills.run(self._plan(now), shortest, now)
        return False

    def _plan(self, now: int) -> Plan:
        soon = now + 1  # when a job that runs longer than its limit is expected to end
        ends = sorted((max(time, soon), units) for time, units in self._ends.items())
        free = self._free
        if opens := self._launches.opens(now):
            units = self._nodes.off * self.queue.cpus
            free -= units
            ends = sorted([*ends, (opens, units)])
        return Plan(now, free, ends)

    def _start(self, waiting: Waiting, now: int) -> bool:
        """Give the job nodes, if there are any."""
        demand = waiting.demand
        if demand.units > self._free:
            return False
        nodes = self._nodes.choose(demand, may_boot=not self._launches.opens(now))
        if nodes is None:
            return False
        if (off := [node for node in nodes if node.state == OFF]) and not self._launch(off, now):
            return False
        ready = now
        for node in nodes:
            self._nodes.take(node, demand)
            node.jobs[waiting.number] = None
            if node.state == BOOTING and node.ready > ready:
                ready = node.ready
        run = Running(waiting, nodes, ready, ready + demand.limit)
        for node in nodes:
            node.jobs[waiting.number] = run
        self._free -= demand.units
        self._ends[run.expected] += demand.units
        self._at(ready + waiting.job.seconds, JOB_END, run)
        if not waiting.has_run:
            self.tally.waits.append(ready - waiting.job.submit)
        return True

    # What happens to jobs and machines

    def _end(self, now: int, run: Running) -> bool:
        if run.over:
            return False
        self.tally.finished += 1
        self._release(run, now)
        return True

    def _release(self, run: Running, now: int) -> None:
        """Free the job's nodes, and count what it used."""
        run.over, self._ended = True, now
        demand, number = run.waiting.demand, run.waiting.number
        self._free += demand.units
        self._ends[run.expected] -= demand.units
        if not self._ends[run.expected]:
            del self._ends[run.expected]
        used = demand.units // demand.nodes * max(now - run.start, 0)
        account = run.waiting.job.account
        for node in run.nodes:
            self.tally.unit_seconds[account, node.pool] += used
            del node.jobs[number]
            self._nodes.give_back(node, demand)
            if not node.jobs:
                self._be_idle(node, now)

    def _lose(self, run: Any, now: int) -> None:
        self._release(run, now)
        self.tally.lost_unit_seconds += run.waiting.demand.units * max(now - run.start, 0)
        if self.queue.requeue:
            self.tally.requeued += 1
            run.waiting.has_run = True
            self._at(now + self._slurm.hold_seconds, BACK, run.waiting)
        else:
            self.tally.failed += 1

    def _back(self, now: int, waiting: Waiting) -> bool:
        self._line.add(waiting)
        return True

    _handlers = (
        _end,
        QueueMachines._lost,
        QueueMachines._up,
        QueueMachines._off,
        _back,
        QueueMachines._idle,
        QueueMachines._open,
        _schedule,
        QueueMachines._change,
        _backfill,
    )
    """What to do at each kind of event. It returns whether jobs may start that could not."""
