"""The machines of one queue over time: launched, booted, idle, kept, lost and ended."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heappush
from itertools import count
from typing import Any

from hpc_components.elastic.model import Pool
from hpc_components.forecast.fleet import Fleet, QueueModel
from hpc_components.forecast.launches import Launches
from hpc_components.forecast.misfortune import Assumptions, Misfortune
from hpc_components.forecast.nodes import BOOTING, OFF, STOPPING, UP, Node, Nodes
from hpc_components.forecast.tally import Tally
from hpc_components.forecast.warm import Warm, nodes_at

RESUME_SECONDS = 1
"""Seconds from a job's allocation to the launch: Slurm's power-save interval, and the daemon's cycle."""
END_SECONDS = 1
"""Seconds from a power-down to the machine's end."""

JOB_END, LOST, READY, OFF_AGAIN, BACK, IDLE, OPEN, SCHEDULE, CHANGE, BACKFILL = range(10)
"""Kinds of events, in the order in which they happen within a second."""


class QueueMachines(ABC):
    """Machines for the nodes of a queue, and the events that they cause."""

    def __init__(self, queue: QueueModel, fleet: Fleet, assumed: Assumptions, warm: Sequence[Warm]) -> None:
        self.queue, self.tally = queue, Tally()
        self._slurm, self._assumed = fleet.scheduling, assumed
        self._misfortune = Misfortune(assumed, queue.name)
        self._launches = Launches(queue.config, fleet.limits, fleet.cooldown, self._misfortune, self.tally)
        self._nodes = Nodes(queue)
        self._events: list[tuple[int, int, int, Any]] = []
        self._order = count()
        self._ends: defaultdict[int, int] = defaultdict(int)
        """Units that the plan expects to become free, by time."""
        self._free = queue.count * queue.cpus
        """Units that are free, on nodes that may be used."""
        self._warm = [wish for wish in warm if wish.queue == queue.name]
        self._kept = queue.config.min
        """Number of nodes that run although they are idle: those with the lowest numbers."""
        self._opens_at = 0

    @abstractmethod
    def _lose(self, run: Any, now: int) -> None:
        """Let a job wait again, or fail, because one of its machines is lost."""

    def _begin_kept(self, now: int) -> None:
        """Let the nodes that are kept run. They have been there for some time."""
        self._kept = self._wanted(now)
        for node in self._nodes.all[: self._kept]:
            self._launched(node, self.queue.config.pools[0], now)
            self._nodes.move(node, UP)
            self._be_idle(node, now)
        self._wait_for_change(now)

    def close(self, now: int) -> None:
        """Count the machines that still run now, when the whole fleet has finished."""
        for node in self._nodes.all:
            if node.state in (UP, BOOTING):
                self._count_machine(node, now)

    def _at(self, time: int, kind: int, what: object = None) -> None:
        heappush(self._events, (time, kind, next(self._order), what))

    def _launch(self, nodes: Iterable[Node], now: int) -> bool:
        by_number = {node.number: node for node in nodes}
        pools = self._launches.launch(list(by_number), now) if by_number else {}
        if pools is None:
            if (opens := self._launches.opens(now)) > self._opens_at:
                self._opens_at = opens
                self._at(opens, OPEN)
            return False
        for number, pool in pools.items():
            node = by_number[number]
            boot = self._assumed.boot_seconds_of(pool.machine)
            self._launched(node, pool, now + RESUME_SECONDS)
            node.ready = node.launched + boot
            self.tally.boots += 1
            self.tally.boot_seconds += boot
            self._nodes.move(node, BOOTING)
            self._at(node.ready, READY, (node, node.life))
        return True

    def _launched(self, node: Node, pool: Pool, at: int) -> None:
        node.pool, node.launched, node.life = pool, at, node.life + 1
        if (seconds := self._misfortune.seconds_to_loss(pool)) is not None:
            self._at(at + seconds, LOST, (node, node.life))

    def _up(self, now: int, what: tuple[Node, int]) -> bool:
        node, life = what
        if node.life == life and node.state == BOOTING:
            self._nodes.move(node, UP)
            if not node.jobs:
                self._be_idle(node, now)
        return False

    def _be_idle(self, node: Node, now: int) -> None:
        node.idle_since = now
        if node.number > self._kept:
            self._at(now + self.queue.idle_seconds + 1, IDLE, (node, node.life, now))

    def _idle(self, now: int, what: tuple[Node, int, int]) -> bool:
        node, life, since = what
        if node.jobs or node.life != life or node.idle_since != since or node.state != UP:
            return False
        if node.number <= self._kept:
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
        self._at(again, OFF_AGAIN, node)

    def _off(self, now: int, node: Node) -> bool:
        self._ends[now] -= self.queue.cpus
        if not self._ends[now]:
            del self._ends[now]
        self._free += self.queue.cpus
        self._nodes.move(node, OFF)
        if node.number <= self._kept:
            self._launch([node], now)
        return True

    def _open(self, now: int, _: object) -> bool:
        self._launch_kept(now)
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

    def _count_machine(self, node: Node, end: int) -> None:
        self.tally.machine(node.pool, node.launched, max(end, node.launched))

    def _wanted(self, now: int) -> int:
        """Return the number of nodes to keep."""
        return max(self.queue.config.min, nodes_at(self._warm, now))

    def _wait_for_change(self, now: int) -> None:
        if self._warm:
            self._at(min(wish.next_change(now) for wish in self._warm), CHANGE)

    def _change(self, now: int, _: object) -> bool:
        """Keep more or fewer nodes. Slurm powers down a node that has been idle for long enough meanwhile."""
        before, self._kept = self._kept, self._wanted(now)
        for node in self._nodes.all[self._kept : before]:
            if node.state == UP and not node.jobs:
                stop = max(now, node.idle_since + self.queue.idle_seconds) + 1
                self._at(stop, IDLE, (node, node.life, node.idle_since))
        self._launch_kept(now)
        self._wait_for_change(now)
        return True

    def _launch_kept(self, now: int) -> None:
        self._launch([node for node in self._nodes.all[: self._kept] if node.state == OFF], now)
