"""The jobs that wait in a queue, in the order of their priority, which is that of their arrival."""

from bisect import bisect_left, insort
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

from hpc_components.forecast.demand import Demand
from hpc_components.forecast.jobs import Job


@dataclass(slots=True, eq=False)
class Waiting:
    number: int
    """Place in the order of arrival."""
    job: Job
    demand: Demand
    has_run: bool = False
    """Whether the job has lost a machine and waits again."""


class Line:
    """Waiting jobs. Adding and removing one takes about the same time in a line of any length."""

    def __init__(self) -> None:
        self._jobs: dict[int, Waiting] = {}
        self._order: list[int] = []
        """Numbers in order, some of them of jobs that have left."""
        self._head = 0
        self._alike: defaultdict[int, dict[Demand, deque[int]]] = defaultdict(dict)
        """Numbers by units and demand, some of them of jobs that have left."""
        self._counts: Counter[Demand] = Counter()
        self._limits: defaultdict[int, list[int]] = defaultdict(list)
        """Heaps of time limits by units, some of them of jobs that have left."""
        self._limited: Counter[tuple[int, int]] = Counter()
        """Number of demands by units and time limit."""
        self._left = 0
        """Number of jobs that have left."""
        self._places: dict[int, tuple[int, float]] = {}
        """Results of `number_at`, each with the number of jobs that had left."""

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, waiting: Waiting) -> None:
        """Add a job. A job that returns gets its old place."""
        number, demand = waiting.number, waiting.demand
        self._jobs[number] = waiting
        alike = self._alike[demand.units].setdefault(demand, deque())
        if not self._counts[demand]:
            self._limited[demand.units, demand.limit] += 1
            heappush(self._limits[demand.units], demand.limit)
        self._counts[demand] += 1
        if self._order and number <= self._order[-1]:
            self._places.clear()
            if self._order[bisect_left(self._order, number)] != number:
                insort(self._order, number, lo=self._head)
            else:
                self._head = min(self._head, bisect_left(self._order, number))
            self._alike[demand.units][demand] = deque(sorted({*alike, number}))
        else:
            self._order.append(number)
            alike.append(number)

    def remove(self, waiting: Waiting) -> None:
        del self._jobs[waiting.number]
        self._left += 1
        demand = waiting.demand
        self._counts[demand] -= 1
        if not self._counts[demand]:
            self._forget(demand)
        if len(self._order) - self._head > 1.5 * len(self._jobs) + 200:
            self._order = [number for number in self._order[self._head :] if number in self._jobs]
            self._head = 0

    def _forget(self, demand: Demand) -> None:
        """Forget a demand that no job has any more."""
        units = demand.units
        del self._counts[demand], self._alike[units][demand]
        self._limited[units, demand.limit] -= 1
        if not self._alike[units]:
            del self._alike[units], self._limits[units]

    def in_order(self) -> Iterator[Waiting]:
        """Yield the jobs. The job that was yielded last may be removed meanwhile."""
        jobs, order = self._jobs, self._order
        while self._head < len(order) and order[self._head] not in jobs:
            self._head += 1
        if self._head > 10_000:
            del order[: self._head]
            self._head = 0
        for index in range(self._head, len(order)):
            if found := jobs.get(order[index]):
                yield found

    def number_at(self, place: int) -> float:
        """Return the number of the job at about this place of the line, or infinity beyond its end.

        In a long line, the result is accurate to one percent, because counting takes time.
        """
        if place >= len(self._jobs):
            return float("inf")
        left, number = self._places.get(place, (-place, 0.0))
        if self._left - left > place // 100:
            number = next(islice(self.in_order(), place, None)).number
            self._places[place] = self._left, number
        return number

    def shortest(self, units: int) -> dict[int, int]:
        """Return the shortest time limit of jobs of each size up to so many units."""
        return {size: self._shortest(size) for size in self._alike if size <= units}

    def _shortest(self, units: int) -> int:
        limits = self._limits[units]
        while not self._limited[units, limits[0]]:
            heappop(limits)
        return limits[0]

    def demands(self, units: int) -> list[Demand]:
        """Return the different demands of exactly so many units."""
        return list(self._alike[units])

    def head(self, demand: Demand, after: int) -> Waiting | None:
        """Return the first job with this demand behind the number `after`."""
        alike, jobs = self._alike.get(demand.units, {}).get(demand, ()), self._jobs
        while alike and alike[0] not in jobs:
            alike.popleft()
        return next((jobs[number] for number in alike if number > after and number in jobs), None)
