"""Benchmark of job starts: the delay between the registration of a job's nodes and its start, and the memory and CPU
time of a thousand waiting jobs.

Slurm's real daemons, of both Debian releases, and the packed elastic daemon run on hosts made of namespaces (the lab
of tests/elastic), which needs root. `without` is Slurm alone: its prolog ends at once, as it does if no daemon runs.
`bench.py` imports this module; as a program, `bench_starts.py starts` or `bench_starts.py crowd` runs one half.
"""

import re
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from elastic.lab import DEBIAN_13, Cluster, Lab, missing, wait  # ty: ignore
from elastic.lab.cloud import Cloud, install_daemon, start_daemon  # ty: ignore

JOBS, EACH = 20, 2
CROWD = 1000
OBSERVATION_SECONDS = 20.0
"""Seconds for which the waiting jobs are observed."""
TARGET_SECONDS = 2.0
"""Maximum median of the seconds from the registration of a job's last node to the job's start."""

WEIGHT = """
import os, sys
memory = cpu = 0.0
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        if int(pid) in (os.getpid(), 1):
            continue
        rollup = open(f"/proc/{pid}/smaps_rollup").read()
        times = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[11:15]
    except OSError:
        continue
    memory += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024
    cpu += sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
print(memory, cpu)
"""
"""Program that prints the MiB used by all processes of a host (shared memory counts once) and their CPU seconds,
including those of their children."""


def measure(parts: tuple[str, ...] = ("starts", "crowd")) -> None:
    """Run these parts for each release of Slurm, and print their results."""
    for root in (Path("/"), DEBIAN_13):
        if lacking := missing(root):
            print(f"job starts with the Slurm of {root} are not measured: {lacking}")
            continue
        for prolog in (False, True):
            if "starts" in parts:
                _starts(root, prolog)
            if "crowd" in parts:
                _crowd(root, prolog)


def _starts(root: Path, prolog: bool) -> None:
    """Submit jobs one after the other, at different moments of Slurm's polling interval, and measure their delays."""
    with _cluster(root, JOBS * EACH, prolog) as (cluster, _):
        for number in range(JOBS):
            cluster.head.run("sbatch", f"--nodes={EACH}", "--output=/dev/null", "--wrap=sleep 300", user="alice")
            time.sleep(1.0 + number % 3 / 4)
        wait(lambda: cluster.head.run("squeue", "--noheader", "--states=RUNNING").count("\n") == JOBS, 120)
        took = delays((cluster.lab.shared / "slurmctld.log").read_text())
    if len(took) != JOBS:
        raise RuntimeError(f"slurmctld's log has only {len(took)} of {JOBS} jobs")
    middle = statistics.median(took)
    case = f"start, Slurm {cluster.version}, {'with' if prolog else 'without'}"
    print(
        f"{case:36} {middle:7.2f}s {TARGET_SECONDS if prolog else 30:7.2f}s   {min(took):.2f} to {max(took):.2f} s",
        flush=True,
    )


def delays(log: str) -> list[float]:
    """Return the seconds between the registration of each job's last node and its start, from slurmctld's log."""
    registered: dict[str, float] = {}
    nodes: dict[str, list[str]] = {}
    took = []
    for at, line in re.findall(r"^\[(\S+?)\] (.*)", log, re.MULTILINE):
        now = datetime.fromisoformat(at).timestamp()
        if found := re.match(r"Node (\S+) now responding", line):
            registered.setdefault(found[1], now)
        elif found := re.search(r"(?:Allocate|Started) JobId=(\d+)\b.*?(?:NodeList=| on )(\S+)", line):
            nodes[found[1]] = _expand(found[2])
        elif (found := re.search(r"Configuration for JobId=(\d+) (?:is )?complete", line)) and found[1] in nodes:
            took.append(now - max(registered[node] for node in nodes[found[1]]))
    return took


def _crowd(root: Path, prolog: bool) -> None:
    """Submit all jobs at once, for nodes that never boot, and measure the load on the head node."""
    with _cluster(root, CROWD, prolog) as (cluster, cloud):
        cloud.boots = False
        head = cluster.head
        memory, cpu = _weight(cluster)
        began = time.monotonic()
        head.run("sbatch", f"--array=1-{CROWD}", "--exclusive", "--output=/dev/null", "--wrap=:", user="alice")
        with _Peak(cluster) as peak:
            wait(
                lambda: head.run("squeue", "--noheader", "--array", "--states=CONFIGURING").count("\n") == CROWD, 120
            )
            if prolog:
                wait(lambda: _waiting(cluster) == CROWD, 120)
            took = time.monotonic() - began
            _, burst = _weight(cluster)
            time.sleep(OBSERVATION_SECONDS)
            after, still = _weight(cluster)
        head.run("scancel", "--user=alice")
        wait(lambda: not _waiting(cluster), 60)
    case = f"{CROWD} wait, Slurm {cluster.version}, {'with' if prolog else 'without'}"
    share = (still - burst) / OBSERVATION_SECONDS
    print(
        f"{case:36} {after - memory:7.0f} MiB, at most {peak.memory - memory:.0f} MiB; "
        f"{burst - cpu:.1f} s of CPU in the first {took:.0f} s, then {share:.1%} of a core",
        flush=True,
    )


class _Peak:
    """The maximum memory use of a host within the block, sampled twice a second."""

    memory = 0.0
    """MiB."""

    def __init__(self, cluster: Cluster) -> None:
        self._ended = threading.Event()
        self._cluster = cluster
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> "_Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.5):
            self.memory = max(self.memory, _weight(self._cluster)[0])


@contextmanager
def _cluster(root: Path, nodes: int, prolog: bool) -> Generator[tuple[Cluster, Cloud]]:
    lines = (
        f"NodeName=q-[1-{nodes}] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD\n"
        f"PartitionName=q Nodes=q-[1-{nodes}] Default=YES\n"
        "SlurmctldLogFile=/shared/slurmctld.log\nResumeTimeout=1800\n"
    )
    with tempfile.TemporaryDirectory() as directory:
        lab = Lab(Path(directory), root)
        try:
            cluster = Cluster(lab, lines)
            if not prolog:
                cluster.head.write("/opt/hpc/bin/hpc-prolog", "#!/bin/sh\n", mode="755")
            install_daemon(cluster, nodes=nodes)
            with Cloud(cluster).served() as cloud:
                start_daemon(cluster)
                yield cluster, cloud
        finally:
            lab.close()


def _weight(cluster: Cluster) -> tuple[float, float]:
    memory, cpu = map(float, cluster.head.run("python3", "-c", WEIGHT).split())
    return memory, cpu


def _waiting(cluster: Cluster) -> int:
    return len(cluster.head.run("pgrep", "--full", "hpc-prolog -c", check=False).split())


def _expand(nodes: str) -> list[str]:
    from hpc_components.elastic.slurm.hostlists import expand

    return list(expand(nodes))


if __name__ == "__main__":
    measure(tuple(sys.argv[1:]) or ("starts", "crowd"))
