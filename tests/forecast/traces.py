"""Made-up jobs for real Slurm and for the model: five queues of different character.

In each of them, half of the jobs wait long enough for a second not to matter. In a queue whose nodes are just not all
busy, half of the jobs wait for a few seconds, and one second at the beginning decides what backfill starts for
minutes: real Slurm then differs from itself by half of the median.
"""

from dataclasses import dataclass, replace
from itertools import count
from random import Random

QUEUES = {
    "bursts": {"machine": "c7i.large", "max": 6},
    "wide": {"machine": "c7i.large", "max": 8},
    "shared": {"machine": "c7i.2xlarge", "max": 3},
    "sparse": {"machine": "c7i.large", "max": 4},
    "full": {"machine": "c7i.large", "max": 3},
}
"""The queues, as a description has them."""

JOBS = 200

APART_SECONDS = 25
"""The queues begin so long after each other, so that few machines boot at once on the machine that records."""


@dataclass(frozen=True)
class Asked:
    """A job to submit: when, for how long it sleeps, and what it asks for."""

    at: float
    seconds: int
    nodes: int
    cpus: int
    limit_minutes: int


def traces(jobs: int = JOBS, seed: int = 1) -> dict[str, list[Asked]]:
    """The jobs of each queue, in order. Each queue begins when the first nodes of the one before have booted."""
    return {
        name: sorted(
            (replace(job, at=job.at + begin) for job in make(Random(f"{seed} {name}"), jobs)), key=lambda job: job.at
        )
        for begin, (name, make) in zip(count(0, APART_SECONDS), _MAKERS.items())
    }


def _bursts(random: Random, jobs: int) -> list[Asked]:
    """Twenty-five at a time, then nothing for longer than nodes stay idle."""
    return [Asked(90 * (n // 25) + random.random(), random.randint(1, 8), 1, 2, 1) for n in range(jobs)]


def _wide(random: Random, jobs: int) -> list[Asked]:
    """One to four nodes, more than the nodes can do as it comes, with limits that are mostly too long: work for
    backfill."""
    return [
        Asked(random.uniform(0, 2 * jobs), random.randint(5, 20), nodes, 2 * nodes, random.choice((1, 1, 2, 5)))
        for nodes in random.choices((1, 2, 3, 4), (6, 3, 2, 1), k=jobs)
    ]


def _shared(random: Random, jobs: int) -> list[Asked]:
    """Parts of nodes of eight CPUs, more than the nodes can do as it comes."""
    return [
        Asked(random.uniform(0, jobs), random.randint(5, 20), 1, random.choice((2, 2, 4, 6, 8)), 1)
        for _ in range(jobs)
    ]


def _sparse(random: Random, jobs: int) -> list[Asked]:
    """Twenty-five at a time, of one and two nodes, and then nothing for longer than nodes stay idle."""
    return [
        Asked(95 * (n // 25) + random.uniform(0, 10), random.randint(1, 6), nodes, 2 * nodes, 1)
        for n, nodes in enumerate(random.choices((1, 2), (2, 1), k=jobs))
    ]


def _full(random: Random, jobs: int) -> list[Asked]:
    """More than the nodes can do as it comes."""
    return [
        Asked(random.uniform(0, 1.5 * jobs), random.randint(3, 9), nodes, 2 * nodes, 2)
        for nodes in random.choices((1, 2), (3, 1), k=jobs)
    ]


_MAKERS = {"bursts": _bursts, "wide": _wide, "shared": _shared, "sparse": _sparse, "full": _full}
