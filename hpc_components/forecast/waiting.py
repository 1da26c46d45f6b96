"""The jobs that wait in a queue, in the order of their priority, which is that of their arrival."""

from bisect import insort
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
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
        self._alike: dict[Demand, deque[int]] = {}
        """Numbers by demand, some of them of jobs that have left."""
        self._counts: Counter[Demand] = Counter()

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, waiting: Waiting) -> None:
        """Add a job. A job that returns gets its old place."""
        number = waiting.number
        self._jobs[number] = waiting
        self._counts[waiting.demand] += 1
        alike = self._alike.setdefault(waiting.demand, deque())
        if self._order and number < self._order[-1]:
            insort(self._order, number, lo=self._head)
            alike.appendleft(number)
        else:
            self._order.append(number)
            alike.append(number)

    def remove(self, waiting: Waiting) -> None:
        del self._jobs[waiting.number]
        demand = waiting.demand
        self._counts[demand] -= 1
        if not self._counts[demand]:
            del self._counts[demand]
            del self._alike[demand]
        if len(self._order) - self._head > 2 * len(self._jobs) + 1000:
            self._order = [number for number in self._order[self._head :] if number in self._jobs]
            self._head = 0

    def first(self) -> Waiting | None:
        return next(self.in_order(), None)

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
        """Return the number of the job at a place of the line, or infinity beyond its end."""
        if place >= len(self._jobs):
            return float("inf")
        return next(islice(self.in_order(), place, None)).number

    def fitting(self, units: int) -> list[Demand]:
        """Return the different demands of at most so many units."""
        return [demand for demand in self._alike if demand.units <= units]

    def head(self, demand: Demand, after: int) -> Waiting | None:
        """Return the first job with this demand behind the number `after`."""
        alike, jobs = self._alike.get(demand, ()), self._jobs
        while alike and alike[0] not in jobs:
            alike.popleft()
        return next((jobs[number] for number in alike if number > after and number in jobs), None)
