"""Ends or holds the jobs of former people, and releases held jobs when their owners return. Runs on the head node."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

HELD = "hpc-people: the user has left"
"""Admin comment of jobs that this program holds."""

BATCH = 500
"""Maximum number of jobs in one command."""

_FIELDS = "JobID:20,UserID:20,State:20,admin_comment:60"

Run = Callable[[list[str]], str]
"""Runs a command and returns its output. Raises OSError if the command fails."""


@dataclass(frozen=True)
class Job:
    """A job that has not ended."""

    id: str
    user: int
    state: str
    comment: str


def settle_jobs(
    former: Collection[int], working: Collection[int], waiting_jobs: Literal["cancel", "hold"], run: Run
) -> tuple[str, ...]:
    """Cancel the running jobs of `former` people, cancel or hold their waiting jobs, and release the held jobs of
    people who are `working` again. Both are given by id. Return a sentence for each of these that was done.

    Raise OSError if Slurm does not answer.
    """
    jobs = [job for job in _jobs(run) if job.state != "COMPLETING"]
    theirs = [job for job in jobs if job.user in former]
    waiting = [job for job in theirs if job.state == "PENDING"]
    held = [job for job in waiting if job.comment != HELD] if waiting_jobs == "hold" else []
    ended = [job for job in theirs if job.state != "PENDING" or waiting_jobs == "cancel"]
    released = [job for job in jobs if job.user in working and job.state == "PENDING" and job.comment == HELD]
    for ids in _batches(ended):
        run(["scancel", *ids])
    for ids in _batches(held):
        run(["scontrol", "hold", ",".join(ids)])
        run(["scontrol", "update", f"jobid={','.join(ids)}", f"admincomment={HELD}"])
    for ids in _batches(released):
        run(["scontrol", "update", f"jobid={','.join(ids)}", "admincomment="])
        run(["scontrol", "release", ",".join(ids)])
    done = (("cancelled", ended), ("held", held), ("released", released))
    return tuple(f"{word} jobs {', '.join(job.id for job in some)}" for word, some in done if some)


def _jobs(run: Run) -> list[Job]:
    lines = run(["squeue", "--noheader", "--all", "--Format", _FIELDS]).splitlines()
    return [
        Job(line[:20].strip(), int(line[20:40]), line[40:60].strip(), line[60:120].strip())
        for line in lines
        if line[20:40].strip().isdecimal()
    ]


def _batches(jobs: Iterable[Job]) -> list[list[str]]:
    ids = [job.id for job in jobs]
    return [ids[start : start + BATCH] for start in range(0, len(ids), BATCH)]
