"""What Slurm's accounting says of one job: what it asked for, and what its steps used."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.elastic.slurm.hostlists import expand

_COLUMNS = (
    "JobID", "State", "User", "Account", "Partition", "Start", "End", "ElapsedRaw", "AllocCPUS", "TotalCPU", "ReqMem",
    "MaxRSS", "AllocTRES", "NodeList", "JobName",
)  # fmt: skip
"""A job's name comes last, because it may contain the separator."""

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def job_command(job: str) -> Sequence[str]:
    """Return the command that reads a job and its steps, which only reads. Times are in seconds since the epoch.

    Source: sacct(1) of Slurm 22.05 to 25.11; SLURM_TIME_FORMAT in its section ENVIRONMENT VARIABLES.
    """
    shown = ("--parsable2", "--noheader", "--noconvert", f"--format={','.join(_COLUMNS)}")
    return ("env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", f"--jobs={job}", *shown)


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """A job that has started."""

    id: str
    name: str
    user: str
    account: str
    queue: str
    state: str
    start: int
    """Seconds since the epoch."""
    end: int | None
    """None while it runs."""
    elapsed: int
    """Seconds."""
    nodes: Sequence[str]
    cpus: int
    """CPUs that Slurm allocated."""
    memory_per_node: int | None
    """Bytes that Slurm allocated on each node, or None if the whole node's memory was the job's."""
    gpus: int
    cpu_seconds: float
    """CPU time of the steps that have ended."""
    largest_task: int
    """Memory of the largest task of any step that has ended, in bytes; 0 if none has."""


def read_job(text: str) -> JobRecord | None:
    """Read the output of `job_command`, or return None if the job is unknown or has not started.

    Of a job that was requeued, sacct shows the last run. Of an array, the first task that it shows is read.
    """
    rows = [line.split("|", len(_COLUMNS) - 1) for line in text.splitlines()]
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in rows if len(row) == len(_COLUMNS)]
    job = next((row for row in rows if "." not in row["JobID"] and row["Start"].isdecimal()), None)
    if job is None:
        return None
    steps = [row for row in rows if row["JobID"].startswith(f"{job['JobID']}.")]
    nodes = expand(job["NodeList"]) if re.search(r"\d", job["NodeList"]) else ()
    tres = dict(part.partition("=")[::2] for part in job["AllocTRES"].split(",") if "=" in part)
    memory = parse_bytes(tres.get("mem", ""))
    return JobRecord(
        id=job["JobID"],
        name=job["JobName"],
        user=job["User"],
        account=job["Account"],
        queue=job["Partition"],
        state=job["State"].split(" ")[0],
        start=int(job["Start"]),
        end=int(job["End"]) if job["End"].isdecimal() else None,
        elapsed=int(job["ElapsedRaw"] or 0),
        nodes=nodes,
        cpus=int(job["AllocCPUS"] or 0),
        memory_per_node=memory // len(nodes) if memory and nodes else None,
        gpus=int(tres.get("gres/gpu", "0") or 0),
        cpu_seconds=parse_seconds(job["TotalCPU"]),
        largest_task=max((parse_bytes(row["MaxRSS"]) for row in steps), default=0),
    )


def parse_seconds(text: str) -> float:
    """Read a time such as `1-02:03:04`, `02:03:04` or `03:04.567`."""
    days, _, clock = text.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = seconds * 60 + float(part or 0)
    return int(days or 0) * 86400 + seconds


def parse_bytes(text: str) -> int:
    """Read an amount such as `4096M` or `123456K`; 0 without one."""
    found = re.fullmatch(r"([0-9.]+)([KMGT]?)", text.strip())
    return int(float(found[1]) * _UNITS[found[2]]) if found else 0
