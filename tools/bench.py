"""Benchmarks of whole processes: median times, compared with ParallelCluster's own dry run if it can be installed.

Both run in turns, so that a busy machine slows both equally. ParallelCluster is installed once into build/bench, and
uses moto's fake EC2 on the loopback interface. Without Node.js, or with `--alone`, only our commands run.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import bench_azure
import bench_daemon
import bench_elastic
import bench_gcp
import bench_names
import bench_people
import bench_resume
import bench_resume_rival
import bench_starts
import bench_watch
from bench_rival import Rival  # beside this file

ROOT = Path(__file__).resolve().parent.parent
HPC = Path(sys.executable).with_name("hpc")


@dataclass(frozen=True)
class Case:
    """A command to time."""

    name: str
    command: tuple[str, ...]
    """Arguments of `hpc`."""
    target: float
    """Maximum time in seconds."""
    rival: str | None = None
    """The equivalent command of ParallelCluster, a name that `Rival.case` knows."""


CASES = (
    Case("hpc validate, 50 queues", ("validate", "wide"), 0.26, "dry run, 50"),
    Case("hpc validate, all stacks", ("validate",), 0.6),
    Case("hpc preview aws-cfd --format json", ("preview", "aws-cfd", "--format", "json"), 1.6),
    Case("hpc preview azure-hbv4 --format json", ("preview", "azure-hbv4", "--format", "json"), 2.0),
    Case("hpc preview gcp-h3 --format json", ("preview", "gcp-h3", "--format", "json"), 2.0),
    Case("hpc preview, 50 queues", ("preview", "wide", "--format", "json"), 2.3, "plan, 50"),
    Case("hpc diff of two refs, one stack", ("diff", "main", "one-stack", "--format", "json"), 4.0),
    Case("hpc diff of two refs, all stacks", ("diff", "main", "all-stacks", "--format", "json"), 10.0),
)
"""Commands run in a project that has all our stacks and one with 50 queues."""


def main() -> None:
    """Run all cases and print a table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=7, help="runs of each case (default: %(default)s)")
    options.add_argument("--alone", action="store_true", help="do not install and run ParallelCluster")
    options.add_argument(
        "--slurm-gcp", nargs=2, default=(), metavar=("SCRIPTS", "PYTHON"),
        help="folder of slurm-gcp's scripts to compare with, and a Python that can run them (see bench_gcp_rival.py)",
    )  # fmt: skip
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = make_project(Path(folder))
        rival = None if chosen.alone else Rival.install(ROOT / "build" / "bench")
        with rival.running() if rival else nullcontext():
            measure(CASES, rival, project, chosen.runs)
    bench_elastic.measure(bench_elastic.CASES, chosen.runs)
    bench_daemon.measure(chosen.runs)
    bench_names.measure(chosen.runs)
    bench_people.measure(chosen.runs)
    node_package = None if chosen.alone else bench_resume_rival.ResumeRival.install(ROOT / "build/bench/node")
    bench_resume.measure(node_package, chosen.runs)
    bench_azure.measure()
    bench_gcp.measure(chosen.slurm_gcp)
    bench_starts.measure()
    bench_watch.measure()


def make_project(folder: Path) -> Path:
    """Create a repository with this project's program and stacks, two branches, and an uncommitted stack of 50
    queues.
    """
    for name in ("Pulumi.yaml", "stacks"):
        source = ROOT / name
        shutil.copytree(source, folder / name) if source.is_dir() else shutil.copy(source, folder / name)
    git = partial(subprocess.run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    commit = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-am")
    git(("git", "init", "--quiet", "--initial-branch=main"))
    git(("git", "add", "--all"))
    git((*commit, "both"))
    for branch, changed in (("one-stack", "config/Pulumi.aws-cfd.yaml"), ("all-stacks", "__main__.py")):
        git(("git", "switch", "--quiet", "--create", branch, "main"))
        with (folder / "stacks" / changed).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        git((*commit, branch))
    machines = ("hpc6a.48xlarge", "c7i.48xlarge", "c6i.32xlarge", "m7i.48xlarge", "c7i.2xlarge")
    queues = "\n".join(
        f"      - {{name: q{index:02}, machine: {machines[index % len(machines)]}, max: 8}}" for index in range(50)
    )
    (folder / "stacks/config/Pulumi.wide.yaml").write_text(
        "config:\n  hpc:cluster:\n    cloud: aws\n    name: wide\n    region: us-east-2\n    zone: use2-az2\n"
        "    network: {cidr: 10.20.0.0/16}\n    head_node: {machine: m7i.2xlarge}\n"
        f"    storage:\n      home: {{type: efs, mount: /home}}\n    queues:\n{queues}\n",
        encoding="utf-8",
    )
    return folder


def measure(cases: tuple[Case, ...], rival: Rival | None, project: Path, runs: int) -> None:
    """Time each case and its counterpart in turns, and print a line for each case."""
    print(f"{'':36} {'median':>8} {'target':>8} {'rival':>8} {'ratio':>7}   ({runs} runs, {os.cpu_count()} cores)")
    for case in cases:
        theirs = rival.case(case.rival) if rival and case.rival else None
        ours_took, theirs_took = [], []
        run_ours = partial(
            subprocess.run, (str(HPC), *case.command), cwd=project, stdout=subprocess.DEVNULL, check=True
        )
        run_ours()  # warm the disk cache and the bytecode
        for _ in range(runs):
            ours_took.append(timed(run_ours))
            if theirs:
                theirs_took.append(timed(theirs))
        ours = statistics.median(ours_took)
        line = f"{case.name:36} {ours:7.2f}s {case.target:7.2f}s"
        if theirs_took:
            other = statistics.median(theirs_took)
            line += f" {other:7.2f}s {other / ours:6.1f}x   ParallelCluster: {case.rival}"
        print(line)


def timed(run: Callable[[], object]) -> float:
    """Return the duration of `run` in seconds."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
