"""Reads jobs that have run: exports of `sacct`, and traces in the Standard Workload Format."""

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hpc_components.errors import HpcError

REORDERED_JOBS = 50_000
"""Number of jobs that are held back to sort them by time. `sacct` sorts by job id, which differs for held jobs."""


_MOST_SECONDS = 2**32
"""Maximum of a job's times. Slurm can't store later ones, and plots of such a span would take hours."""


class JobFileError(HpcError, ValueError):
    """Raised for a file that can't be used. The message names the line, the problem and the remedy."""


class Job(NamedTuple):
    """A job that has run. Times are in whole seconds, and the clock is that of the file."""

    submit: int
    """When the job could have started: its submission, or the end of its hold or dependency."""
    seconds: int
    """How long the job ran."""
    limit: int
    """Time limit in seconds, or 0 if the file has none."""
    nodes: int
    """Number of nodes, or 0 if the file has none."""
    cpus: int
    """Number of CPUs on all nodes, or 0 for whole nodes."""
    memory_mib: int
    """Memory on all nodes, or 0 if the file has none."""
    gpus: int
    """Number of GPUs on all nodes."""
    queue: str
    account: str
    user: str
    name: str
    """The job's id in the file."""
    waited: int
    """Seconds from `submit` to the start, or -1 if unknown."""


def in_order(jobs: Iterable[Job], held: int = REORDERED_JOBS) -> Iterator[Job]:
    """Yield the jobs by time.

    Raise JobFileError if a job is more than `held` jobs out of place, or if its times are beyond those of Slurm.
    """
    heap: list[tuple[int, int, Job]] = []
    latest = None
    for number, job in enumerate(jobs):
        if max(abs(job.submit), job.seconds) > _MOST_SECONDS:
            raise JobFileError(
                f"job {job.name} was submitted at {job.submit} s and ran for {job.seconds} s; times must be in "
                f"seconds since 1970, and at most {_MOST_SECONDS}"
            )
        if len(heap) < held:
            heapq.heappush(heap, (job.submit, number, job))
            continue
        time, _, first = heapq.heappushpop(heap, (job.submit, number, job))
        if latest is not None and time < latest:
            raise JobFileError(
                f"job {first.name} was submitted {latest - time} s before jobs far above it in the file; sort the "
                "file by submission time"
            )
        latest = time
        yield first
    while heap:
        yield heapq.heappop(heap)[2]
