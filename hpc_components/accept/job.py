"""The job of a queue in Slurm: its script, its submission, its state and its output."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hpc_components.accept.checks.gpus import gpus_of
from hpc_components.accept.checks.part import Part, QueueRun, below
from hpc_components.accept.cluster import Submitter
from hpc_components.accept.result import QueueJob
from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.elastic.slurm.records import field
from hpc_components.operate.sections import Section, Sections
from hpc_components.rehearse.job_states import ENDED, STARTING, WAITING

_STOPPED_AFTER_SECONDS = 5
"""Time between SIGTERM and SIGKILL for a part that takes too long."""

UNKNOWN = "UNKNOWN"
"""State of a job that slurmctld has forgotten."""


@dataclass(frozen=True, kw_only=True)
class SeenJob:
    id: int
    state: str
    """As Slurm names it, or UNKNOWN."""
    reason: str
    nodes: Sequence[str]
    exit_code: str
    eligible: datetime | None
    """When it could start: at its submission, or after the run's earlier jobs."""
    started: datetime | None

    @property
    def waits_for_nodes(self) -> bool:
        """Whether it could run, but has not started."""
        return self.state in WAITING | STARTING and self.reason != "Dependency"

    @property
    def ended(self) -> bool:
        return self.state in ENDED or self.state == UNKNOWN


class JobScript:
    """The script of a queue's job. Each part prints into its own section of the output.

    Slurm ends the job if it has not ended `minutes` after its submission.
    """

    def __init__(
        self, run: QueueRun, planned: QueueJob, parts: Sequence[Part], by: Submitter, token: str, minutes: int
    ) -> None:
        self._run, self._planned, self._by = run, planned, by
        self._token, self._minutes = token, minutes
        self.folder = below(run.folder, run.queue.name)
        self.output = below(self.folder, "out")
        self._sections = Sections({part.code: _limited(part) for part in parts})

    @property
    def text(self) -> str:
        options = job_options(self._run, self._planned, self._by, self._token, self._minutes, self.output)
        lines = [*options, "#SBATCH --dependency=singleton", "#SBATCH --no-requeue"]  # queues share file systems
        body = ["unset SLURM_NTASKS_PER_NODE SLURM_TASKS_PER_NODE SLURM_NTASKS SLURM_NPROCS"]
        return "\n".join(
            ["#!/bin/bash", *lines, *body, f"cd {shlex.quote(self.folder)}", shlex.join(self._sections.script), ""]
        )

    def parse(self, output: str) -> Mapping[str, Section]:
        return self._sections.parse(output.split("\n"))


def job_options(run: QueueRun, planned: QueueJob, by: Submitter, token: str, minutes: int, output: str) -> list[str]:
    """Return the lines of a job's script with the options for sbatch that all jobs have."""
    gpus = gpus_of(run)
    options = {
        "job-name": job_name(token),
        "partition": run.queue.name,
        "nodes": run.nodes,
        "ntasks-per-node": run.ranks_per_node,
        "time": planned.minutes,
        "deadline": f"now+{minutes}minutes",  # ends it if this program can't
        "output": output,
        **({"account": by.account} if by.account else {}),
        **({"gres": f"gpu:{gpus}"} if gpus else {}),
    }
    return [*(f"#SBATCH --{name}={value}" for name, value in options.items()), "#SBATCH --exclusive"]


def job_name(token: str) -> str:
    return f"hpc-accept-{token}"


def _limited(part: Part) -> Sequence[str]:
    # a login shell's functions (`module`) reach it by BASH_ENV
    return ("timeout", "-k", str(_STOPPED_AFTER_SECONDS), str(part.seconds), "bash", "-c", part.script)


def show_jobs(ids: Sequence[int]) -> str:
    """Return Bash that prints the jobs, a line each. `read_jobs` takes its output."""
    return "\n".join(f"scontrol --oneliner show job {id}" for id in ids)


def read_jobs(text: str, ids: Sequence[int]) -> dict[int, SeenJob] | None:
    """Return jobs by id, or None if slurmctld does not answer. A job that it has forgotten is UNKNOWN."""
    lines = {int(id): line for line in text.splitlines() if (id := field(line, "JobId"))}
    if any(id not in lines for id in ids) and not re.search("Invalid job id", text):
        return None
    return {id: _seen(id, lines.get(id, "")) for id in ids}


def _seen(id: int, line: str) -> SeenJob:
    return SeenJob(
        id=id,
        state=field(line, "JobState") or UNKNOWN,
        reason=field(line, "Reason"),
        nodes=tuple(expand(field(line, "NodeList").replace("(null)", ""))),
        exit_code=field(line, "ExitCode"),
        eligible=slurm_time(field(line, "EligibleTime")),
        started=slurm_time(field(line, "StartTime")),
    )


def slurm_time(text: str) -> datetime | None:
    """Return a time as Slurm prints it, in the host's own zone, or None for `Unknown` and the like."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
