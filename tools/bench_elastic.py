"""Benchmark of the elastic daemon without Slurm and cloud: median CPU times. `tools/bench.py` runs it too."""

import statistics
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.elastic.clock import Clock
from hpc_components.elastic.config import Config, QueueConfig
from hpc_components.elastic.daemon.cycle import Cycle
from hpc_components.elastic.drivers.aws.limits import LIMITS
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Instance, InstanceState, Job, Launch, Node, Pool
from hpc_components.elastic.names import node_name
from hpc_components.elastic.plan.planner import plan_launches, units_of

NODES = 10_000
POOL = Pool(queue="compute", machine="hpc6a.48xlarge", zone="use2-az2", purchase="on_demand")
NAMES = tuple(node_name(POOL.queue, number) for number in range(1, NODES + 1))


@dataclass(frozen=True)
class Case:
    """A function to time."""

    name: str
    prepare: Callable[[Path], Callable[[], object]]
    """Returns the function to time. Receives a folder to write in; its own time does not count."""
    target: float
    """Maximum CPU time in seconds."""


def planning(_: Path) -> Callable[[], object]:
    """Plan the launch of 10,000 nodes for 2,500 jobs of 4 nodes."""
    jobs = [Job(id=first, state="CONFIGURING", nodes=NAMES[first : first + 4]) for first in range(0, NODES, 4)]
    missing = dict.fromkeys(NAMES)
    return lambda: plan_launches(units_of(missing, jobs, {}, {}), {POOL.queue: (POOL,)}, {}, (), limits=LIMITS)


def steady_cycle(folder: Path) -> Callable[[], object]:
    """Run a cycle with 10,000 nodes up, 2,500 jobs running, and nothing to do."""
    return _cycle(folder, {"IDLE", "CLOUD"}, Still()).run


def first_cycle(folder: Path) -> Callable[[], object]:
    """Run the first such cycle after a restart of the daemon."""
    still = Still()
    return lambda: _cycle(folder, {"IDLE", "CLOUD"}, still).run()


def launching_cycle(folder: Path) -> Callable[[], object]:
    """Run a cycle that launches 10,000 nodes for 2,500 jobs."""

    def run() -> None:
        (folder / "journal.json").unlink(missing_ok=True)
        report = _cycle(folder, {"ALLOCATED", "CLOUD", "POWERING_UP"}, Ready()).run()
        assert report.calls == 11, report.calls  # one list and ten launches

    return run


CASES = (
    Case("elastic: plan, 10,000 nodes", planning, 0.1),
    Case("elastic: cycle, 10,000 nodes up", steady_cycle, 1.5),
    Case("elastic: first cycle, 10,000 up", first_cycle, 1.5),
    Case("elastic: cycle, 10,000 to launch", launching_cycle, 1.5),
)


class Quiet:
    """A Slurm whose answers never change, and which ignores changes."""

    def __init__(self, states: Collection[str]) -> None:
        self._states = frozenset(states)

    def nodes(self) -> Sequence[Node]:
        """Return new values each time, as a parser does."""
        return [Node(name=name, states=self._states, booted_at=1.0) for name in NAMES]

    def jobs(self) -> Sequence[Job]:
        """Return jobs of four nodes."""
        return [Job(id=first, state="RUNNING", nodes=NAMES[first : first + 4]) for first in range(0, NODES, 4)]

    def bound(self) -> Collection[int]:
        """Return no jobs."""
        return ()

    def set_requeue(self, jobs: Collection[int], allowed: bool) -> None:
        """Do nothing."""

    def waiting(self) -> Mapping[int, str]:
        """Return no jobs."""
        return {}

    def explain(self, jobs: Collection[int], why: str) -> None:
        """Do nothing."""

    def postpone(self, jobs: Collection[int], seconds: float, why: str) -> None:
        """Do nothing."""

    def update(self, nodes: Collection[str], state: str, reason: str = "") -> None:
        """Do nothing."""


class Ready:
    """A cloud with unlimited capacity, which lists no machines."""

    limits = LIMITS

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Create all machines at once."""
        return [_machine(name, launch.token, InstanceState.PENDING) for name in launch.nodes]

    def terminate(self, ids: Collection[str]) -> None:
        """Do nothing."""

    def list(self) -> Sequence[Instance]:
        """Return no machines."""
        return []

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Return no machines."""
        return []


class Still(Ready):
    """A cloud in which all machines run and are listed."""

    def list(self) -> Sequence[Instance]:
        """Return new values each time, as a parser does."""
        return [_machine(name, "token", InstanceState.RUNNING) for name in NAMES]


def _machine(name: str, token: str, state: InstanceState) -> Instance:
    return Instance(id=f"i-{name}", node=name, token=token, pool=POOL, state=state, launched=0.0)


def _cycle(folder: Path, states: Collection[str], cloud: Ready) -> Cycle:
    config = Config(
        cluster="bench",
        cloud="aws",
        region="us-east-2",
        queues=(QueueConfig(name=POOL.queue, max=NODES, pools=(POOL,)),),
    )
    clock = Clock()
    return Cycle(config, cloud, Quiet(states), Journal(folder / "journal.json", clock), clock)


def measure(cases: Sequence[Case], runs: int) -> None:
    """Time each case, and print a line for it."""
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            run = case.prepare(Path(folder))
            run()
            took = statistics.median(cpu(run) for _ in range(runs))
        print(f"{case.name:36} {took:7.2f}s {case.target:7.2f}s   CPU")


def cpu(run: Callable[[], object]) -> float:
    """Return the CPU seconds of `run`."""
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    measure(CASES, 7)
