"""The nodes of one queue: which are up, what is free on them, and which ones Slurm would give to a job."""

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice

from hpc_components.elastic.model import Pool
from hpc_components.forecast.demand import Demand
from hpc_components.forecast.fleet import QueueModel

OFF, BOOTING, UP, STOPPING = range(4)


@dataclass(slots=True, eq=False)
class Node:
    number: int
    pool: Pool
    """Where its machine comes from, or its last one."""
    cpus: int
    """Free CPUs."""
    memory_mib: int
    gpus: int
    state: int = OFF
    jobs: dict[int, object] = field(default_factory=dict)
    """The jobs on the node, by their numbers."""
    launched: int = 0
    ready: int = 0
    """When the machine registers."""
    idle_since: int = 0
    life: int = 0
    """Number of machines that the node has had."""


class Nodes:
    """Nodes by what is free on them.

    Slurm prefers nodes that are up to nodes that boot, and both to nodes that are off; among equals, low numbers.
    Source: Slurm source code, src/slurmctld/node_scheduler.c, _set_sched_weight.
    """

    def __init__(self, queue: QueueModel) -> None:
        self._full = (queue.cpus, queue.memory_mib, queue.gpus)
        self.all = [Node(number, queue.config.pools[0], *self._full) for number in range(1, queue.count + 1)]
        self._levels = {UP: _Levels(queue.cpus), BOOTING: _Levels(queue.cpus)}
        self._off = list(range(1, queue.count + 1))

    @property
    def off(self) -> int:
        """Number of nodes without a machine that could get one."""
        return len(self._off)

    def choose(self, demand: Demand, *, may_boot: bool) -> list[Node] | None:
        """Return nodes for a job, or None if there aren't enough. Nothing is changed."""
        found = list(islice(self._fitting(demand, UP), demand.nodes))
        if len(found) < demand.nodes:
            found += islice(self._fitting(demand, BOOTING), demand.nodes - len(found))
        missing = demand.nodes - len(found)
        if missing and (not may_boot or missing > len(self._off)):
            return None
        return found + [self.all[number - 1] for number in self._off[:missing]]

    def _fitting(self, demand: Demand, state: int) -> Iterator[Node]:
        every, memory, gpus = self.all, demand.memory_mib, demand.gpus
        for number in self._levels[state].at_least(demand.cpus):
            node = every[number - 1]
            if node.memory_mib >= memory and node.gpus >= gpus:
                yield node

    def move(self, node: Node, state: int) -> None:
        """Change a node's state. A node that is switched off, or stops, has all its resources again."""
        if node.state in self._levels:
            self._levels[node.state].remove(node.number, node.cpus)
        elif node.state == OFF:
            del self._off[bisect_left(self._off, node.number)]
        node.state = state
        if state in self._levels:
            self._levels[state].add(node.number, node.cpus)
            return
        node.cpus, node.memory_mib, node.gpus = self._full
        if state == OFF:
            insort(self._off, node.number)

    def take(self, node: Node, demand: Demand) -> None:
        self._change(node, -demand.cpus, -demand.memory_mib, -demand.gpus)

    def give_back(self, node: Node, demand: Demand) -> None:
        self._change(node, demand.cpus, demand.memory_mib, demand.gpus)

    def _change(self, node: Node, cpus: int, memory_mib: int, gpus: int) -> None:
        levels = self._levels[node.state]
        levels.remove(node.number, node.cpus)
        node.cpus += cpus
        node.memory_mib += memory_mib
        node.gpus += gpus
        levels.add(node.number, node.cpus)


class _Levels:
    """Sorted numbers of nodes, by their free CPUs."""

    def __init__(self, cpus: int) -> None:
        self._lists: list[list[int]] = [[] for _ in range(cpus + 1)]
        self._filled = 0
        """A bit for each level with nodes."""

    def add(self, number: int, cpus: int) -> None:
        insort(self._lists[cpus], number)
        self._filled |= 1 << cpus

    def remove(self, number: int, cpus: int) -> None:
        level = self._lists[cpus]
        del level[bisect_left(level, number)]
        if not level:
            self._filled ^= 1 << cpus

    def at_least(self, cpus: int) -> Iterator[int]:
        """Return the numbers of nodes with so many free CPUs, lowest first."""
        bits = self._filled >> cpus << cpus
        found = []
        while bits:
            low = bits & -bits
            found.append(self._lists[low.bit_length() - 1])
            bits ^= low
        return iter(found[0]) if len(found) == 1 else merge(*found)
