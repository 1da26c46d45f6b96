"""How soon a job starts once its nodes are there, and what a thousand jobs weigh that wait for theirs.

Real slurmctld and slurmd of both Debian releases and the packed daemon, on hosts made of namespaces (the lab of
tests/elastic): root is needed. `without` is Slurm alone: the program that would wait ends at once, as it does where
no daemon runs.
Imported by `bench.py`; run by itself, `bench_starts.py starts` or `bench_starts.py crowd` does half of it.
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
STILL = 20.0
"""Seconds for which a crowd is watched."""
TARGET = 2.0
"""Seconds from the registration of a job's last node until the job runs, in the median."""

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
"""MiB of all that runs on a host, what is shared counted once, and the CPU seconds that it and its children took."""


def measure(parts: tuple[str, ...] = ("starts", "crowd")) -> None:
    """Print a line for each release and each half."""
    for root in (Path("/"), DEBIAN_13):
        if lacking := missing(root):
            print(f"jobs on Slurm of {root}: not measured: {lacking}")
            continue
        for prolog in (False, True):
            if "starts" in parts:
                _starts(root, prolog)
            if "crowd" in parts:
                _crowd(root, prolog)


def _starts(root: Path, prolog: bool) -> None:
    """Jobs that come one after the other, so that Slurm's own look finds each in another moment."""
    with _cluster(root, JOBS * EACH, prolog) as (cluster, _):
        for number in range(JOBS):
            cluster.head.run("sbatch", f"--nodes={EACH}", "--output=/dev/null", "--wrap=sleep 300", user="alice")
            time.sleep(1.0 + number % 3 / 4)
        wait(lambda: cluster.head.run("squeue", "--noheader", "--states=RUNNING").count("\n") == JOBS, 120)
        took = delays((cluster.lab.shared / "slurmctld.log").read_text())
    if len(took) != JOBS:
        raise RuntimeError(f"{len(took)} jobs of {JOBS} are in slurmctld's log")
    middle = statistics.median(took)
    case = f"start, Slurm {cluster.version}, {'with' if prolog else 'without'}"
    print(
        f"{case:36} {middle:7.2f}s {TARGET if prolog else 30:7.2f}s   {min(took):.2f} to {max(took):.2f} s",
        flush=True,
    )


def delays(log: str) -> list[float]:
    """Seconds between the registration of each job's last node and its start, by slurmctld's own log."""
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
    """All at once, on nodes that do not come: what the head node has of it."""
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
            time.sleep(STILL)
            after, still = _weight(cluster)
        head.run("scancel", "--user=alice")
        wait(lambda: not _waiting(cluster), 60)
    case = f"{CROWD} wait, Slurm {cluster.version}, {'with' if prolog else 'without'}"
    share = (still - burst) / STILL
    print(
        f"{case:36} {after - memory:7.0f} MiB, at most {peak.memory - memory:.0f} MiB; "
        f"{burst - cpu:.1f} s of CPU in the first {took:.0f} s, then {share:.1%} of a core",
        flush=True,
    )


class _Peak:
    """The most memory of a host for a while, by looks that cost as little as can be."""

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
            install_daemon(cluster, nodes=nodes, boot_timeout=1800)
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
