"""Measure how fast jobs are replayed: `python tools/bench_forecast.py TRACE [--nodes N] [--repeat N]`.

Public traces with 100,000 jobs and more are in the Parallel Workloads Archive. Prints the time, the memory and the
longest line of waiting jobs; few nodes make a long line.
"""

import argparse
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from hpc_components.forecast.fleet import fleet_of
from hpc_components.forecast.job_file import opened_jobs
from hpc_components.forecast.jobs import Job
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun, run
from hpc_components.slurm import slurm_files
from hpc_components.spec.load import load_cluster

STACK = Path(__file__).parents[1] / "stacks/config/Pulumi.aws-dev.yaml"


def main() -> None:
    """Replay the trace on a queue of machines with two CPUs, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--nodes", type=int, default=120)
    parser.add_argument("--repeat", type=int, default=1, help="times to replay the trace, one after the other")
    given = parser.parse_args()
    described = yaml.safe_load(STACK.read_text())["config"]["hpc:cluster"]
    described["head_node"]["machine"] = "m7i.4xlarge"
    described["queues"] = [{"name": "cpu", "machine": "c7i.large", "max": given.nodes, "placement": "none"}]
    cluster = load_cluster(described)
    whole = FleetRun(fleet_of(cluster, slurm_files(cluster)), Assumptions(boot_seconds=180))
    begin = time.perf_counter()
    run(_repeated(given.trace, given.repeat), [whole])
    seconds = time.perf_counter() - begin
    tally = whole.queues["cpu"].tally
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{tally.submitted:,} jobs in {seconds:.1f} s ({usage.ru_utime:.1f} s of CPU)")
    print(f"{usage.ru_maxrss // 1024} MiB; at most {tally.most_waiting:,} jobs waited; {tally.boots:,} machines")


def _repeated(trace: Path, times: int) -> Iterator[Job]:
    later = 0
    for _ in range(times):
        first = last = None
        with opened_jobs(trace, Counter()) as jobs:
            for job in jobs:
                first = job.submit if first is None else first
                last = job.submit
                yield job._replace(submit=job.submit + later)
        later += (last or 0) - (first or 0)


if __name__ == "__main__":
    main()
