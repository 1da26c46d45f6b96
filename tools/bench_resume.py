"""Benchmark of launches: our elastic daemon and ParallelCluster's slurm_resume, with the same stand-in for AWS.

`bench.py` imports this module; as a program, `bench_resume.py CONFIG` runs the daemon until all nodes have machines.
Both are timed as whole processes, including their start, although a real daemon is already running when jobs are
submitted.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bench_account import REGION, Account, make_slurm, serving
from bench_resume_rival import ResumeRival

FIRST, SECOND, ZONE = "c7i.48xlarge", "c6i.32xlarge", "use2-az2"
NODES, JOBS = 400, 100


@dataclass(frozen=True)
class Case:
    """A launch of all nodes."""

    name: str
    first_left: int
    """Number of available machines of the first type."""
    seconds: float
    """Maximum time in seconds."""
    calls: int
    """Maximum number of calls to AWS."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    seconds: float
    calls: int
    machines: int


CASES = (
    Case("400 nodes of 100 jobs", NODES, 1.5, 4),
    Case("first machine type sold out", 0, 5.0, 10),
    Case("298 machines of the first type left", 298, 5.0, 10),
)


def measure(rival: ResumeRival | None, runs: int) -> None:
    """Run both programs in turns, and print a line for each case. The rival takes a minute, so it runs only three
    times.
    """
    print(f"\n{'at 100 ms per call of AWS':36} {'median':>8} {'target':>8} {'rival':>8} {'ratio':>7}")
    for case in CASES:
        ours: list[Outcome] = []
        theirs: list[Outcome] = []
        for turn in range(runs):
            ours.append(run_ours(case))
            if rival and turn < 3:
                theirs.append(run_rival(case, rival))
        took = statistics.median(each.seconds for each in ours)
        line = f"{case.name:36} {took:7.2f}s {case.seconds:7.2f}s"
        words = f"{_calls(ours)} calls, at most {case.calls} allowed"
        if theirs:
            other = statistics.median(each.seconds for each in theirs)
            machines = min(each.machines for each in theirs)
            line += f" {other:7.2f}s {other / took:6.1f}x"
            words += f"; slurm_resume: {_calls(theirs)} calls, {machines} machines"
        print(f"{line}   {words}")


def run_ours(case: Case) -> Outcome:
    """Run the daemon, with both machine types in the queue."""
    with tempfile.TemporaryDirectory() as name, serving(Account()) as account:
        account.ec2.capacity[FIRST, ZONE] = case.first_left
        config, environment = prepare(Path(name), account, _jobs("compute"), (FIRST, SECOND))
        outcome = _timed(account, [sys.executable, __file__, str(config)], environment)
    if outcome.machines != NODES:
        raise RuntimeError(f"{case.name}: only {outcome.machines} machines were launched for {NODES} nodes")
    return outcome


def run_rival(case: Case, rival: ResumeRival) -> Outcome:
    """Run slurm_resume, with one machine type: a compute resource can't have more."""
    with tempfile.TemporaryDirectory() as name, serving(Account()) as account:
        account.ec2.capacity[FIRST, ZONE] = case.first_left
        account.ec2.add_template("demo-q0-cr0", FIRST, ZONE, {})
        jobs = _jobs("q0-dy-cr0")
        command, environment = rival.program(Path(name), make_slurm(Path(name) / "slurm", jobs), REGION, jobs)
        return _timed(account, command, account.environment() | environment)


def prepare(
    folder: Path, account: Account, jobs: Sequence[Sequence[str]], machines: Sequence[str]
) -> tuple[Path, dict[str, str]]:
    """Prepare a cluster with one queue, `compute`, and waiting `jobs`. Return its elastic.json and the daemon's
    environment.
    """
    tags = {"ClusterName": "bench", "hpc:role": "compute", "hpc:queue": "compute", "hpc:config": "bucket"}
    for machine in machines:
        own = tags | {"hpc:machine": machine, "hpc:zone": ZONE}
        account.ec2.add_template(machine, machine, ZONE, own, instance_tags=tags)
    pools = [{"machine": machine, "zone": ZONE, "purchase": "on_demand"} for machine in machines]
    queue = {"name": "compute", "max": sum(map(len, jobs)), "min": 0, "placement": "cluster", "pools": pools}
    document = {"version": 1, "cluster": "bench", "cloud": "aws", "region": REGION, "config": "bucket"}
    config = folder / "elastic.json"
    config.write_text(json.dumps(document | {"queues": [queue]}), encoding="utf-8")
    slurm = make_slurm(folder / "slurm", jobs)
    return config, account.environment() | {"PATH": f"{slurm}:{os.environ['PATH']}"}


def _timed(account: Account, command: Sequence[str], environment: dict[str, str]) -> Outcome:
    start = time.perf_counter()
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{command[1]}: {done.stderr}")
    return Outcome(seconds, account.ec2.calls.total(), len(account.ec2.live()))


def _jobs(prefix: str) -> list[list[str]]:
    each = NODES // JOBS
    return [[f"{prefix}-{first + 1 + index}" for index in range(each)] for first in range(0, NODES, each)]


def _calls(outcomes: Sequence[Outcome]) -> int:
    return max(each.calls for each in outcomes)


def main(config: str) -> None:
    """Run the daemon's cycles without its socket, until all nodes have machines."""
    from hpc_components.elastic.clock import Clock
    from hpc_components.elastic.config import load_config
    from hpc_components.elastic.daemon.cycle import Cycle
    from hpc_components.elastic.drivers import connect
    from hpc_components.elastic.journal.file import Journal
    from hpc_components.elastic.report.events import EventKind
    from hpc_components.elastic.slurm.scontrol import Scontrol

    told = load_config(Path(config).read_text(encoding="utf-8"))
    clock = Clock()
    journal = Journal(Path(config).with_name("journal.json"), clock)
    cycle = Cycle(told, connect(told), Scontrol(), journal, clock)
    machines: set[str] = set()
    while len(machines) < NODES:
        for event in cycle.run().events:
            if event.kind is EventKind.LAUNCH:
                machines.update(event.nodes)
            elif event.kind is EventKind.TERMINATE:
                machines.difference_update(event.nodes)


if __name__ == "__main__":
    main(sys.argv[1])
