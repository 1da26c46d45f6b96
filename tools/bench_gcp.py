"""Benchmark of the daemon with Google Cloud's driver: calls and time of a launch and of a fallback, time of planning,
CPU time of a cycle.

Google Cloud is the tests' stand-in, over HTTP with 100 ms per call. `bench.py` imports this module; as a program,
`bench_gcp.py cycle URL` prints the CPU seconds of a cycle.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from bench_slurm import Slurm

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from elastic.drivers.fake_gce import BUCKET, FakeGce  # noqa: E402  # ty: ignore
from elastic.drivers.gce_shapes import PROJECT  # noqa: E402  # ty: ignore
from elastic.drivers.gcp_cluster import REGION, add_fleets  # noqa: E402  # ty: ignore
from elastic.drivers.rest_server import RestServer  # noqa: E402  # ty: ignore
from serving import serving  # noqa: E402  # ty: ignore

from hpc_components.elastic.act.calls import LaunchCalls  # noqa: E402
from hpc_components.elastic.clock import Clock  # noqa: E402
from hpc_components.elastic.config import Config, QueueConfig  # noqa: E402
from hpc_components.elastic.daemon.cycle import Cycle  # noqa: E402
from hpc_components.elastic.drivers.gcp.driver import GcpDriver, Place  # noqa: E402
from hpc_components.elastic.drivers.gcp.fleets import Fleet, Placement  # noqa: E402
from hpc_components.elastic.drivers.gcp.identity import Metadata, Tokens  # noqa: E402
from hpc_components.elastic.drivers.gcp.planning import (  # noqa: E402
    insert_request,
    plan_chunks,
    policy_document,
)
from hpc_components.elastic.drivers.http import Connections  # noqa: E402
from hpc_components.elastic.journal.file import Journal  # noqa: E402
from hpc_components.elastic.model import Launch, Pool  # noqa: E402
from hpc_components.elastic.report.events import CycleReport  # noqa: E402

LATENCY = 0.1
"""Duration of a call in seconds."""
NODES, JOBS, POLICY = 1000, 10, 150
"""Nodes and jobs of a launch, and machines of a placement policy."""
OPERATION, STOCKOUT = 3.0, 1.0
"""Seconds after which a bulk insert has created its machines, or has failed for lack of capacity."""
MANY = 10_000
"""Nodes to plan for, and nodes of the timed cycle."""
RUNS = 3


def pool(machine: str = "h3-standard-88", zone: str = f"{REGION}-a") -> Pool:
    """Return a pool of the queue `cpu`."""
    return Pool(queue="cpu", machine=machine, zone=zone, purchase="on_demand")


def measure(rival: Sequence[str] = ()) -> None:
    """Run all benchmarks and print their results.

    `rival` is the folder of slurm-gcp's scripts and a Python that can run them; without it, slurm-gcp is not
    measured.
    """
    launches = [_launch(fallback=False) for _ in range(RUNS)]
    fallbacks = [_launch(fallback=True) for _ in range(RUNS)]
    seconds = statistics.median(took for took, _ in launches) - OPERATION
    calls = max((calls for _, calls in launches), key=Counter.total)
    looks = calls.pop("show operation", 0)
    policies = -(-NODES // POLICY)
    print(
        f"{'Google: 1,000 nodes, ' + str(policies) + ' policies':36} {seconds:7.2f}s {3.0:7.2f}s   besides the bulk"
        f" inserts' {OPERATION:.0f} s"
    )
    print(f"{'':36} {calls.total():7} {10:8}    calls besides {looks} polls of the operations: {_told(calls)}")
    seconds = statistics.median(took for took, _ in fallbacks)
    print(
        f"{'Google: first zone has no machines':36} {seconds:7.2f}s {5.0:7.2f}s   until they run in the second; both"
        f" bulk inserts take {STOCKOUT:.0f} s"
    )
    ours, theirs = _plan(), _plan_of(rival)
    line = f"{'Google: planning 10,000 nodes':36} {ours:7.3f}s {0.1:7.2f}s"
    if theirs:
        line += f" {theirs:7.3f}s {theirs / ours:6.1f}x   slurm-gcp: resume_nodes, without the time of API calls"
    else:
        line += "   slurm-gcp is not measured; name it with --slurm-gcp SCRIPTS PYTHON"
    print(line)
    print(f"{'daemon: cycle, Google lists 10,000':36} {_cycle():7.2f}s {1.5:7.2f}s   CPU")


def _told(calls: Counter[str]) -> str:
    return ", ".join(f"{count} {action}" for action, count in sorted(calls.items()))


def _launch(*, fallback: bool) -> tuple[float, Counter[str]]:
    """Return the seconds and calls from the launch of the nodes to the cycle that knows all their machines."""
    gce = FakeGce()
    pools = pool(), pool(zone=f"{REGION}-b")
    add_fleets(gce, *pools, cluster="bench", machines=POLICY, max_distance=2)
    gce.operation_seconds = STOCKOUT if fallback else OPERATION
    gce.left = {(pools[0].machine, pools[0].zone): 0} if fallback else {}
    slurm = Slurm(
        [f"cpu-{number}" for number in range(1, NODES + 1)], NODES // JOBS, {"IDLE", "CLOUD", "POWERED_DOWN"}
    )
    queue = QueueConfig(name="cpu", max=NODES, placement="cluster", pools=pools)
    config = Config(cluster="bench", cloud="gcp", region=REGION, queues=(queue,))
    late = threading.Event()
    with (
        serving(RestServer(gce, LATENCY)) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(Connections()) as connections,
    ):
        run = _cycles(config, server.url, connections, slurm, Path(folder), late)
        run()  # a running daemon knows its fleets
        gce.http.clear()
        slurm.states = frozenset({"ALLOCATED", "CLOUD", "POWERING_UP"})
        began = time.monotonic()
        while not _all_there(run(), gce):
            late.wait(10)
            late.clear()
        return time.monotonic() - began, Counter(gce.http)


def _all_there(report: CycleReport, gce: FakeGce) -> bool:
    """Return whether this cycle reports the launch of all machines."""
    told = [event for event in report.events if event.kind.value == "launch"]
    return len(gce.live()) == NODES and sum(len(event.nodes) for event in told) == NODES


def _cycles(
    config: Config, url: str, connections: Connections, slurm: Slurm, folder: Path, late: threading.Event
) -> Callable[[], CycleReport]:
    """Return a function that runs a cycle of the daemon."""
    clock = Clock()
    place = Place(project=PROJECT, bucket=BUCKET, regions=(REGION,), compute=url, storage=url)
    driver = GcpDriver(config.cluster, place, Tokens(Metadata(url)), connections.send)
    return Cycle(config, driver, slurm, Journal(folder / "journal.json", clock), clock, LaunchCalls(late.set)).run


def _plan() -> float:
    """Return the seconds in which a launch is planned and its requests are encoded."""
    fleet = Fleet(template="t", placement=Placement(machines=POLICY, max_distance=2))
    took = []
    for run in range(5):
        nodes = tuple(f"cpu-{number}" for number in range(1, MANY + 1))
        began = time.perf_counter()
        launch = Launch(token=f"t{run}", pool=pool(), nodes=nodes, minimum=MANY, asked=0.0)
        for chunk in plan_chunks(launch, fleet, "bench"):
            json.dumps(policy_document(chunk.policy, fleet.placement, ""))  # ty: ignore
            json.dumps(insert_request(launch, fleet, chunk, cluster="bench", project=PROJECT).document)
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def _plan_of(rival: Sequence[str]) -> float | None:
    """Return the seconds in which slurm-gcp plans the same number of nodes; None without `rival`."""
    if not rival:
        return None
    scripts, python = rival
    command = [python, str(Path(__file__).with_name("bench_gcp_rival.py")), scripts, str(MANY), "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return statistics.median(map(float, done.stdout.split()))


def _cycle() -> float:
    """Return the CPU seconds of a cycle in a separate process, without those of the stand-in."""
    gce = FakeGce()
    add_fleets(gce, pool(), cluster="bench")
    names = {f"bench-cpu-{number}": {} for number in range(1, MANY + 1)}
    body = {
        "count": str(MANY), "minCount": "1", "sourceInstanceTemplate": next(iter(gce.templates)),
        "perInstanceProperties": names, "instanceProperties": {"labels": {"hpc_launch": "token"}},
    }  # fmt: skip
    gce.insert(pool().zone, "r", body)
    with serving(RestServer(gce)) as server:
        command = [sys.executable, __file__, "cycle", server.url]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return float(done.stdout)


def main(url: str) -> None:
    """Print the CPU seconds of a cycle in which all nodes are up and nothing is to do."""
    queue = QueueConfig(name="cpu", max=MANY, pools=(pool(),))
    config = Config(cluster="bench", cloud="gcp", region=REGION, queues=(queue,))
    slurm = Slurm(sorted(queue.nodes), 4, {"IDLE", "CLOUD"})
    with tempfile.TemporaryDirectory() as folder, closing(Connections()) as connections:
        run = _cycles(config, url, connections, slurm, Path(folder), threading.Event())
        cycles = []
        for _ in range(6):
            start = time.process_time()
            seen = len(run().instances)
            cycles.append(time.process_time() - start)
            if seen != MANY:
                raise RuntimeError(f"the daemon sees {seen} of {MANY} machines")
    print(statistics.median(cycles))


if __name__ == "__main__":
    main(sys.argv[2]) if sys.argv[1:2] == ["cycle"] else measure(sys.argv[1:])
