"""Benchmark of the daemon with Azure's driver: calls and time of a launch and of a fallback, CPU time of a cycle.

Azure is the tests' stand-in, over HTTP with 100 ms per call. `bench.py` imports this module; as a program,
`bench_azure.py cycle URL` prints the CPU seconds of a cycle.
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
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench_slurm import Slurm

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from elastic.drivers.azure_cluster import add_sets, set_name  # noqa: E402  # ty: ignore
from elastic.drivers.fake_arm import BLOBS, CONFIG, GROUP, IDENTITY, FakeArm  # noqa: E402  # ty: ignore
from elastic.drivers.rest_server import RestServer  # noqa: E402  # ty: ignore
from serving import serving  # noqa: E402  # ty: ignore

from hpc_components.elastic.act.calls import LaunchCalls  # noqa: E402
from hpc_components.elastic.clock import Clock  # noqa: E402
from hpc_components.elastic.config import Config, QueueConfig  # noqa: E402
from hpc_components.elastic.daemon.cycle import Cycle  # noqa: E402
from hpc_components.elastic.drivers.azure.driver import AzureDriver, Place  # noqa: E402
from hpc_components.elastic.drivers.azure.identity import Metadata, Tokens  # noqa: E402
from hpc_components.elastic.drivers.http import Connections  # noqa: E402
from hpc_components.elastic.journal.file import Journal  # noqa: E402
from hpc_components.elastic.model import Pool  # noqa: E402
from hpc_components.elastic.report.events import CycleReport  # noqa: E402

LATENCY = 0.1
"""Duration of a call in seconds."""
NODES, JOBS, OPERATION = 300, 75, 4.0
"""Nodes and jobs of a launch, all on one fabric, and the seconds in which Azure assigns hosts to the machines."""
MANY, EACH = 10_000, 1000
"""Nodes of the timed cycle, and nodes of a scale set: Azure's maximum."""
RUNS = 3


def pool(queue: str, machine: str = "Standard_HB176rs_v4") -> Pool:
    """Return a pool of the queue."""
    return Pool(queue=queue, machine=machine, zone="eastus-1", purchase="on_demand")


def measure() -> None:
    """Run all benchmarks and print their results."""
    launches, fallbacks = (
        [_launch(fallback=False) for _ in range(RUNS)],
        [_launch(fallback=True) for _ in range(RUNS)],
    )
    seconds = statistics.median(took for took, _ in launches)
    calls = max((calls for _, calls in launches), key=Counter.total)
    looks = calls.pop("show operation")
    print(
        f"{'Azure: 300 nodes of 75 jobs':36} {seconds:7.2f}s {2.0:7.2f}s   besides the operation of {OPERATION:.0f} s"
    )
    print(f"{'':36} {calls.total():7} {6:8}    calls besides {looks} polls of the operation: {_told(calls)}")
    seconds = statistics.median(took for took, _ in fallbacks)
    print(f"{'Azure: first size sold out':36} {seconds:7.2f}s {5.0:7.2f}s   until the next size is requested")
    print(f"{'daemon: cycle, Azure lists 10,000':36} {_cycle():7.2f}s {1.5:7.2f}s   CPU")


def _told(calls: Counter[str]) -> str:
    return ", ".join(f"{count} {action}" for action, count in sorted(calls.items()))


def _launch(*, fallback: bool) -> tuple[float, Counter[str]]:
    """Return the seconds and calls until all nodes have names; for a fallback, the seconds from the first refusal to
    the next request.
    """
    arm = FakeArm()
    pools = pool("cpu"), pool("cpu", "Standard_HB120rs_v3")
    add_sets(arm, *pools, cluster="bench")
    arm.host_seconds = OPERATION
    arm.left = {(pools[0].machine, pools[0].zone): 0} if fallback else {}
    done, asked = threading.Event(), []
    arm.on_made = lambda scale_set, vm: asked.append((scale_set.name, time.monotonic()))
    arm.on_names = lambda scale_set, names: done.set() if len(names) == NODES else None
    names = [f"cpu-{number}" for number in range(1, NODES + 1)]
    slurm = Slurm(names, NODES // JOBS, {"IDLE", "CLOUD", "POWERED_DOWN"})
    config = Config(
        cluster="bench",
        cloud="azure",
        queues=(QueueConfig(name="cpu", max=NODES, placement="cluster", pools=pools),),
    )
    late = threading.Event()
    with (
        serving(RestServer(arm, LATENCY)) as server,
        tempfile.TemporaryDirectory() as folder,
        closing(Connections()) as connections,
    ):
        run = _cycles(config, server.url, connections, slurm, Path(folder), late)
        run()  # a running daemon knows its scale sets
        arm.calls.clear()
        slurm.states = frozenset({"ALLOCATED", "CLOUD", "POWERING_UP"})
        began = time.monotonic()
        while not done.is_set():
            late.clear()
            run()
            while not (late.wait(0.01) or done.is_set()):
                pass
        ended, calls = time.monotonic(), Counter(arm.calls)
    if not fallback:
        return ended - began - OPERATION, calls
    first = next(at for name, at in asked if name == set_name(pools[0], "bench"))
    second = next(at for name, at in asked if name == set_name(pools[1], "bench"))
    return second - first - OPERATION, calls


def _cycles(
    config: Config, url: str, connections: Connections, slurm: Slurm, folder: Path, late: threading.Event
) -> Callable[[], CycleReport]:
    """Return a function that runs a cycle of the daemon."""
    clock = Clock()
    place = Place(arm=url, group=GROUP, own_group=GROUP, config=CONFIG, blobs=f"{url}{BLOBS}")
    driver = AzureDriver(config.cluster, place, Tokens(Metadata(url), IDENTITY), connections.send)
    return Cycle(config, driver, slurm, Journal(folder / "journal.json", clock), clock, LaunchCalls(late.set)).run


def _cycle() -> float:
    """Return the CPU seconds of a cycle in a separate process, without those of the stand-in."""
    arm = FakeArm()
    for queue in _queues():
        add_sets(arm, pool(queue), cluster="bench")
        name = set_name(pool(queue), "bench")
        operation = arm.scale(name, EACH, None)
        names = {vm.vm_id: f"{queue}-{number}" for number, vm in enumerate(operation.vms, start=1)}
        record = {
            "nodes": list(names.values()), "minimum": 1, "asked": time.time(), "known": [], "etag": "", "capacity": 0,
            "operation": "", "made": list(names), "done": True,
        }  # fmt: skip
        document = {"version": 1, "names": names, "launches": {"token": record}}
        arm.blobs[f"{name}.json"] = 1, json.dumps(document).encode()
    with serving(RestServer(arm)) as server:
        command = [sys.executable, __file__, "cycle", server.url]
        done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return float(done.stdout)


def _queues() -> list[str]:
    return [f"q{number}" for number in range(MANY // EACH)]


def main(url: str) -> None:
    """Print the CPU seconds of a cycle in which all nodes are up and nothing is to do."""
    queues = tuple(QueueConfig(name=queue, max=EACH, pools=(pool(queue),)) for queue in _queues())
    config = Config(cluster="bench", cloud="azure", queues=queues)
    slurm = Slurm([name for queue in queues for name in sorted(queue.nodes)], 4, {"IDLE", "CLOUD"})
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
    main(sys.argv[2]) if sys.argv[1:2] == ["cycle"] else measure()
