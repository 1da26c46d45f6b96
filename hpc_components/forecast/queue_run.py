"""Simulates one queue: Slurm's two schedulers, and machines that come and go."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any

from hpc_components.forecast.backfill import Backfill
from hpc_components.forecast.demand import demand_of
from hpc_components.forecast.fleet import Fleet, QueueModel
from hpc_components.forecast.jobs import Job
from hpc_components.forecast.launches import Launches
from hpc_components.forecast.misfortune import Assumptions, Misfortune
from hpc_components.forecast.nodes import BOOTING, OFF, STOPPING, UP, Node, Nodes
from hpc_components.forecast.plan import Plan
from hpc_components.forecast.tally import Tally
from hpc_components.forecast.waiting import Line, Waiting

RESUME_SECONDS = 2
"""Seconds from a job's allocation to the launch: Slurm's power-save interval, and the daemon's cycle."""
END_SECONDS = 1
"""Seconds from a power-down to the machine's end."""

_END, _LOST, _UP, _OFF, _BACK, _IDLE, _OPEN, _BACKFILL = range(8)


@dataclass(slots=True, eq=False)
class Running:
    waiting: Waiting
    nodes: list[Node]
    start: int
    expected: int
    """When Slurm's plan expects the end: at the time limit."""
    over: bool = False


class QueueRun:
    """One queue over time. Jobs must be submitted in order."""

    def __init__(self, queue: QueueModel, fleet: Fleet, assumed: Assumptions) -> None:
        self.queue, self.tally = queue, Tally()
        self._slurm, self._boot = fleet.scheduling, assumed.boot_seconds
        self._misfortune = Misfortune(assumed, queue.name)
        self._launches = Launches(queue.config, fleet.limits, fleet.cooldown, self._misfortune, self.tally)
        self._nodes, self._line = Nodes(queue), Line()
        self._events: list[tuple[int, int, int, Any]] = []
        self._order, self._numbers = count(), count(1)
        self._ends: defaultdict[int, int] = defaultdict(int)
        """Units that the plan expects to become free, by time."""
        self._free = queue.count * queue.cpus
        """Units that are free, on nodes that may be used."""
        self._backfills = Backfill(self._line, fleet.scheduling, self._start)
        self._backfills_at = 0
        self._opens_at = 0

    def begin(self, now: int) -> None:
        """Launch the nodes that always run."""
        self._launch(self._nodes.all[: self.queue.config.min], now)

    def submit(self, job: Job) -> None:
        now = job.submit
        self.advance(now)
        self.tally.submitted += 1
        demand = demand_of(job, self.queue)
        if isinstance(demand, str):
            self.tally.refuse(demand, job.name)
            return
        waiting = Waiting(next(self._numbers), job, demand)
        if len(self._line) or not self._start(waiting, now):
            self._line.add(waiting)
            self.tally.most_waiting = max(self.tally.most_waiting, len(self._line))
            self._request_backfill(now)

    def advance(self, until: float) -> None:
        """Let everything happen that happens until then."""
        events = self._events
        while events and events[0][0] <= until:
            now = events[0][0]
            changed = False
            while events and events[0][0] == now:
                _, kind, _, what = heappop(events)
                changed |= self._handlers[kind](self, now, what)
            if changed and len(self._line):
                self._start_first(now)
                self._request_backfill(now)

    def finish(self) -> int:
        """Let everything happen until all jobs have ended and idle nodes are off. Return the time of that.

        Nodes that always run may be lost and launched again without end, so the last events are left out.
        """
        last, end = 0, None
        while self._events and (end is None or self._events[0][0] <= end):
            last = self._events[0][0]
            self.advance(last)
            if end is None and not self.tally.unfinished:
                end = last + self.queue.idle_seconds + self._slurm.stop_seconds + 2
        return last

    def close(self, now: int) -> None:
        """Count the machines that still run."""
        for node in self._nodes.all:
            if node.state in (UP, BOOTING):
                self._count_machine(node, now)

    def _at(self, time: int, kind: int, what: object = None) -> None:
        heappush(self._events, (time, kind, next(self._order), what))

    # What Slurm's schedulers do

    def _start_first(self, now: int) -> None:
        """Start jobs in order until one can't start, as Slurm's main scheduler does in each partition."""
        for waiting in self._line.in_order():
            if not self._start(waiting, now):
                return
            self._line.remove(waiting)

    def _request_backfill(self, now: int) -> None:
        interval = self._slurm.backfill_interval
        if self._backfills_at <= now and len(self._line):
            self._backfills_at = now - now % interval + interval
            self._at(self._backfills_at, _BACKFILL)

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
        self._at(ready + waiting.job.seconds, _END, run)
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
        run.over = True
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

    def _be_idle(self, node: Node, now: int) -> None:
        node.idle_since = now
        if node.number > self.queue.config.min:
            self._at(now + self.queue.idle_seconds + 1, _IDLE, (node, node.life, now))

    def _idle(self, now: int, what: tuple[Node, int, int]) -> bool:
        node, life, since = what
        if node.jobs or node.life != life or node.idle_since != since or node.state != UP:
            return False
        self._stop(node, now)
        return False

    def _stop(self, node: Node, now: int) -> None:
        """End a node's machine. The node can't be used until Slurm considers it off."""
        self._count_machine(node, now + END_SECONDS)
        self._nodes.move(node, STOPPING)
        self._free -= self.queue.cpus
        again = now + self._slurm.stop_seconds + 1
        self._ends[again] += self.queue.cpus
        self._at(again, _OFF, node)

    def _off(self, now: int, node: Node) -> bool:
        self._ends[now] -= self.queue.cpus
        if not self._ends[now]:
            del self._ends[now]
        self._free += self.queue.cpus
        self._nodes.move(node, OFF)
        if node.number <= self.queue.config.min:
            self._launch([node], now)
        return True

    def _launch(self, nodes: Iterable[Node], now: int) -> bool:
        by_number = {node.number: node for node in nodes}
        pools = self._launches.launch(list(by_number), now) if by_number else {}
        if pools is None:
            if (opens := self._launches.opens(now)) > self._opens_at:
                self._opens_at = opens
                self._at(opens, _OPEN)
            return False
        for number, pool in pools.items():
            node = by_number[number]
            node.pool, node.launched, node.life = pool, now + RESUME_SECONDS, node.life + 1
            node.ready = node.launched + self._boot
            self.tally.boots += 1
            self.tally.boot_seconds += self._boot
            self._nodes.move(node, BOOTING)
            self._at(node.ready, _UP, (node, node.life))
            if (seconds := self._misfortune.seconds_to_loss(pool)) is not None:
                self._at(node.launched + seconds, _LOST, (node, node.life))
        return True

    def _up(self, now: int, what: tuple[Node, int]) -> bool:
        node, life = what
        if node.life == life and node.state == BOOTING:
            self._nodes.move(node, UP)
            if not node.jobs:
                self._be_idle(node, now)
        return False

    def _open(self, now: int, _: object) -> bool:
        kept = [node for node in self._nodes.all[: self.queue.config.min] if node.state == OFF]
        self._launch(kept, now)
        return True

    def _lost(self, now: int, what: tuple[Node, int]) -> bool:
        """Let the cloud take a machine back. Its jobs wait again, or fail."""
        node, life = what
        if node.life != life or node.state not in (UP, BOOTING):
            return False
        self.tally.losses += 1
        for run in list(node.jobs.values()):
            self._lose(run, now)
        self._stop(node, now)
        return True

    def _lose(self, run: Any, now: int) -> None:
        self._release(run, now)
        self.tally.lost_unit_seconds += run.waiting.demand.units * max(now - run.start, 0)
        if self.queue.requeue:
            self.tally.requeued += 1
            run.waiting.has_run = True
            self._at(now + self._slurm.hold_seconds, _BACK, run.waiting)
        else:
            self.tally.failed += 1

    def _back(self, now: int, waiting: Waiting) -> bool:
        self._line.add(waiting)
        return True

    def _count_machine(self, node: Node, end: int) -> None:
        self.tally.machine(node.pool, node.launched, max(end, node.launched))

    _handlers = (_end, _lost, _up, _off, _back, _idle, _open, _backfill)
