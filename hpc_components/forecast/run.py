"""Runs jobs through a whole fleet."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from hpc_components.forecast.fleet import Fleet
from hpc_components.forecast.jobs import Job
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.queue_run import QueueRun
from hpc_components.forecast.warm import Warm


class FleetRun:
    """A fleet over time. Queues share no nodes, so each is simulated alone, apart from when Slurm looks at new jobs.

    Jobs go to the queue of their own name, or to the one that `renamed` maps it to, or else to the default queue.
    """

    def __init__(
        self,
        fleet: Fleet,
        assumed: Assumptions,
        renamed: Mapping[str, str] | None = None,
        warm: Sequence[Warm] = (),
    ) -> None:
        self.fleet, self.assumed, self.warm = fleet, assumed, tuple(warm)
        self.queues = {name: QueueRun(queue, fleet, assumed, warm) for name, queue in fleet.queues.items()}
        self.moved: Counter[tuple[str, str]] = Counter()
        """Jobs that went to a queue of another name, by both names."""
        self.first: int | None = None
        self.last = 0
        self._considered = float("-inf")
        self._renamed = renamed or {}
        self._targets: dict[str, QueueRun] = {}

    def submit(self, job: Job) -> None:
        if self.first is None:
            self.first = job.submit
            for queue in self.queues.values():
                queue.begin(job.submit)
        target = self._targets.get(job.queue)
        if target is None:
            name = self._renamed.get(job.queue, job.queue)
            target = self._targets[job.queue] = self.queues.get(name) or self.queues[self.fleet.default]
        if target.queue.name != job.queue:
            self.moved[job.queue, target.queue.name] += 1
        self._advance(job.submit - 1)
        target.submit(job, self._consideration(job.submit))

    def _advance(self, until: int) -> None:
        """Let everything happen that happens until then. When a job ends, Slurm looks at the jobs of all queues."""
        queues = tuple(self.queues.values())
        while (queue := min(queues, key=_next_time)).next_time <= until:
            now = int(queue.next_time)
            if queue.advance(now):
                for each in queues:
                    each.look(now)

    def _consideration(self, now: int) -> int:
        """Return when Slurm's main scheduler looks at a job that is submitted now, of whichever queue.

        Source: Slurm source code, src/slurmctld/controller.c, _slurmctld_background.
        """
        if self._considered < now:
            self._considered = max(now, self._considered + self.fleet.scheduling.submit_delay)
        return int(self._considered)

    def finish(self) -> None:
        """Let all jobs end and idle nodes go. Nodes that always run are counted until then."""
        if self.first is not None:
            self._advance(int(self._considered))
        self.last = max([self.first or 0, *(queue.finish() for queue in self.queues.values())])
        for queue in self.queues.values():
            queue.advance(self.last)
            queue.close(self.last)


_next_time = attrgetter("next_time")


def run(jobs: Iterable[Job], runs: Iterable[FleetRun]) -> None:
    """Run the same jobs through several fleets."""
    every = tuple(runs)
    for job in jobs:
        for each in every:
            each.submit(job)
    for each in every:
        each.finish()
