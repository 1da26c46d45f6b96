"""What has become of the job that builds a list of software.

Two files, each with one writer: who submits the job writes its id, the job its results. So neither can overwrite what
the other wrote, whichever comes first.
"""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

LOG = "log.txt"

_JOB = "job"
_RESULTS = "results.json"


@dataclass(frozen=True)
class State:
    """State of a build."""

    job: int
    """Id of the job in Slurm."""
    done: dict[str, str] = field(default_factory=dict)
    """Result of each easyconfig that has been tried: `built` or `failed`."""
    ended: str = ""
    """`built` or `failed` once the job has tried everything, else empty."""
    reason: str = ""
    """Why the job failed before it could try an easyconfig, else empty."""


def read_state(request: Path) -> State | None:
    """Return the state of the last job for the folder `request`, or None if no job has been submitted for it."""
    results, job = _read(request / _RESULTS), _read(request / _JOB)
    last = max(int(job or 0), json.loads(results)["job"] if results else 0)
    if results and json.loads(results)["job"] == last:
        return State(**json.loads(results))
    return State(last) if last else None


def write_job(request: Path, job: int) -> None:
    _write(request / _JOB, f"{job}\n")


def write_results(request: Path, state: State) -> None:
    _write(request / _RESULTS, json.dumps(asdict(state), indent=1) + "\n")


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _write(file: Path, text: str) -> None:
    """Replace a file. Readers on other nodes see the old text or the new one."""
    new = file.with_name(f"{file.name}.new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, file)
