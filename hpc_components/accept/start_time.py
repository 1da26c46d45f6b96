"""How long a queue's job took to start, and where the time went."""

from collections.abc import Iterator, Sequence

from hpc_components.accept.job import SeenJob, slurm_time
from hpc_components.accept.result import Code, Figure, Outcome, judged, left_out
from hpc_components.elastic.slurm.records import field

WHAT = "seconds from sbatch to running"


def show_nodes(nodes: Sequence[str]) -> str:
    """Return Bash that prints these nodes, a line each."""
    return f"scontrol --oneliner show node {','.join(nodes)}"


def start_time(queue: str, job: SeenJob, nodes: str) -> Outcome:
    """Return the figures of a job's start, given what `show_nodes` printed for its nodes.

    A node's BootTime is that of its kernel, and SlurmdStartTime that of slurmd, just before it registers. Source:
    scontrol(1). Both are the latest of all nodes, because the job waits for the last one.
    """
    if job.eligible is None or job.started is None:
        return left_out(Code.START_TIME, WHAT, queue, "the job did not start")
    total = (job.started - job.eligible).total_seconds()
    figures = [Figure(name="sbatch to running", value=total, unit="s"), *_parts(job, nodes)]
    detail = "" if len(figures) > 1 else "the nodes were running already"
    return judged(Code.START_TIME, WHAT, queue, figures, detail)


def _parts(job: SeenJob, nodes: str) -> Iterator[Figure]:
    assert job.eligible
    assert job.started
    lines = [line for line in nodes.splitlines() if field(line, "NodeName")]
    booted = [time for line in lines if (time := slurm_time(field(line, "BootTime")))]
    ready = [time for line in lines if (time := slurm_time(field(line, "SlurmdStartTime")))]
    if not booted or not ready or max(booted) < job.eligible:
        return
    marks = {
        "sbatch to kernel": job.eligible, "kernel to slurmd": max(booted), "slurmd to running": max(ready),
    }  # fmt: skip
    ends = [max(booted), max(ready), job.started]
    for (name, begin), end in zip(marks.items(), ends, strict=True):
        yield Figure(name=name, value=(end - begin).total_seconds(), unit="s")
