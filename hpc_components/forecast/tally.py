"""What is counted while a queue is simulated."""

from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from hpc_components.elastic.model import Pool

HOUR = 3600


@dataclass
class Hours:
    """Seconds for which machines ran, by hour."""

    _rest: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    _steps: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, start: int, end: int) -> None:
        for time, sign in ((start, 1), (end, -1)):
            hour = time // HOUR
            self._rest[hour] += sign * ((hour + 1) * HOUR - time)
            self._steps[hour + 1] += sign

    def by_hour(self) -> dict[int, int]:
        """Return the machine-seconds of each hour since 1970 in which machines ran."""
        if not self._rest:
            return {}
        found, running = {}, 0
        for hour in range(min(self._rest), max(self._rest) + 1):
            running += self._steps.get(hour, 0)
            if seconds := running * HOUR + self._rest.get(hour, 0):
                found[hour] = seconds
        return found


@dataclass
class Tally:
    """Counts of one queue. Times are in seconds."""

    submitted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Jobs that Slurm would refuse, by reason."""
    examples: dict[str, str] = field(default_factory=dict)
    """For each reason, the first job that was refused."""
    finished: int = 0
    failed: int = 0
    """Jobs that ended with a lost machine, because the queue does not requeue jobs."""
    requeued: int = 0
    waits: "array[int]" = field(default_factory=lambda: array("q"))
    boots: int = 0
    refusals: int = 0
    """Launches for which the pool had no capacity."""
    losses: int = 0
    """Spot machines that the cloud took back."""
    machine_seconds: Counter[Pool] = field(default_factory=Counter)
    boot_seconds: int = 0
    unit_seconds: Counter[tuple[str, Pool]] = field(default_factory=Counter)
    """What jobs used, by account and pool, in units (CPUs) times seconds. Includes lost work."""
    lost_unit_seconds: int = 0
    hours: defaultdict[Pool, Hours] = field(default_factory=lambda: defaultdict(Hours))
    most_waiting: int = 0

    @property
    def ended(self) -> int:
        """Number of times that a job ended, in whichever way."""
        return self.finished + self.failed + self.requeued

    @property
    def unfinished(self) -> int:
        """Number of jobs that wait or run."""
        return self.submitted - self.refused.total() - self.finished - self.failed

    def refuse(self, reason: str, name: str) -> None:
        self.refused[reason] += 1
        self.examples.setdefault(reason, name)

    def machine(self, pool: Pool, start: int, end: int) -> None:
        """Count a machine that was billed from `start` to `end`."""
        self.machine_seconds[pool] += end - start
        self.hours[pool].add(start, end)
