"""The daemon's cycles with a cloud's own driver, on a clock that only calls and pauses move."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from elastic.cycle.stubs import COMING, OFF, UP, StubSlurm, names
from elastic.pace.clouds import Aws, Azure, Gcp, Time
from elastic.simulation.steps import StepCalls
from hpc_components.elastic.clock import Clock
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.daemon.cycle import Cycle
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Job
from hpc_components.elastic.names import node_name
from hpc_components.elastic.report.events import CycleReport, EventKind

LONGEST = 300.0
"""Seconds after which a test has waited in vain."""


class PacedWorld:
    """A queue `q` of so many nodes. A cycle runs after the pause of the last one, or at once when an answer comes."""

    def __init__(self, folder: Path, time: Time, cloud: Aws | Azure | Gcp, nodes: int) -> None:
        self.time, self.cloud, self.driver = time, cloud, cloud
        self.tokens = Random(1)
        self.slurm = StubSlurm(nodes)
        self.calls: Any = StepCalls(self)  # ty: ignore
        time.spend = self.pass_time
        clock = Clock(wall=time, running=time, boot="b1")
        queue = QueueConfig(name="q", max=nodes, pools=cloud.pools, placement="cluster")
        config = Config(cluster="cfd", cloud="local", socket="/none", queues=(queue,))
        journal = Journal(folder / "journal.json", clock)
        self._daemon = Cycle(config, cloud.driver, self.slurm, journal, clock, self.calls)
        self.cycle()  # the daemon is there already

    @property
    def now(self) -> float:
        return self.time.now

    def pass_time(self, seconds: float) -> None:
        """Launches under way go on meanwhile."""
        end = self.now + seconds
        while not self.calls.stepping and (due := [at for at, *_ in self.calls.waiting if at <= end]):
            self.time.now = max(self.now, min(due))
            self.calls.run_due()
        self.time.now = max(self.now, end)

    def cycle(self) -> CycleReport:
        """A cycle, and the pause after it."""
        report = self._daemon.run()
        end = self.now + report.pause
        while self.now < end and self.calls._done.empty():
            due = min((at for at, *_ in self.calls.waiting), default=end)
            self.pass_time(max(0.0, min(due, end) - self.now))
        return report

    def want(self, jobs: int, each: int) -> None:
        """Jobs whose nodes are to come up."""
        for job in range(jobs):
            numbers = range(1 + job * each, 1 + (job + 1) * each)
            nodes = tuple(node_name("q", number) for number in numbers)
            self.slurm.jobs_now.append(Job(id=1 + job, state="CONFIGURING", nodes=nodes))
            self.slurm.set(COMING, *numbers)

    def run_job(self, *numbers: int, seconds: float) -> None:
        """Its machines come, it runs, and its nodes are idle until Slurm powers them down."""
        self.slurm.jobs_now = [Job(id=numbers[0], state="CONFIGURING", nodes=names(*numbers))]
        self.slurm.set(COMING, *numbers)
        self.until_launched(len(numbers))
        self.slurm.jobs_now = [Job(id=numbers[0], state="RUNNING", nodes=names(*numbers))]
        self.slurm.set(UP, *numbers)
        self.rest(seconds)
        self.slurm.jobs_now = []
        self.slurm.set(OFF, *numbers)

    def rest(self, seconds: float) -> None:
        """Cycles for so long."""
        end = self.now + seconds
        while self.now < end:
            self.cycle()

    def until_launched(self, nodes: int) -> None:
        """Until the daemon has told of the launch of so many."""
        told: list[str] = []

        def all_told() -> bool:
            return len(told) == nodes

        end = self.now + LONGEST
        while not all_told():
            assert self.now < end
            events = self.cycle().events
            told += [node for event in events if event.kind is EventKind.LAUNCH for node in event.nodes]

    def until(self, condition: Callable[[], object]) -> Sequence[CycleReport]:
        """Run cycles."""
        end, reports = self.now + LONGEST, []
        while not condition():
            assert self.now < end, [event.words for report in reports for event in report.events]
            reports.append(self.cycle())
        return reports
