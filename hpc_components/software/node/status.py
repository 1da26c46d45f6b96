"""Shows what has become of the software of the description."""

import subprocess

from hpc_components.software.node.state import LOG, State, read_state
from hpc_components.software.node.wanted import Wanted

_SECONDS = 60.0


def status(wanted: Wanted) -> tuple[bool, str]:
    """Return whether all software of the description can be loaded, and a text for users."""
    state = read_state(wanted.request)
    if state is None:
        return False, "no job has been submitted for this list yet"
    lines = [f"{state.done.get(name, 'waiting'):8} {name}" for name in wanted.install]
    lines.append(_summary(wanted, state))
    return state.ended == "built", "\n".join(lines)


def _summary(wanted: Wanted, state: State) -> str:
    log = wanted.request / LOG
    if state.ended == "built":
        return f"all built by job {state.job}; modules are in {wanted.directory / 'modules' / 'all'}"
    if state.ended == "failed":
        why = f": {state.reason}" if state.reason else ""
        return f"job {state.job} failed{why}; see {log}. To try again: sudo hpc-software build"
    if now := _state_in_slurm(state.job):
        return f"job {state.job} is {now}; its log is {log}"
    return f"job {state.job} ended without a result; see {log}. To try again: sudo hpc-software build"


def _state_in_slurm(job: int) -> str:
    """Return the state of a job, e.g. `running`, or nothing if it has ended."""
    command = ["squeue", "--noheader", f"--jobs={job}", "--format=%T (%r)"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode and "Invalid job id" not in done.stderr:
        raise OSError(f"Slurm does not answer: {done.stderr.strip()}")
    return done.stdout.strip().lower().removesuffix(" (none)")
