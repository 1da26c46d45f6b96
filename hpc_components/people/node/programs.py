import subprocess
from pathlib import Path

SLURM_SECONDS = 30.0
"""Timeout for one of Slurm's commands. If slurmctld hangs, they give up earlier (MessageTimeout, 10 s)."""


def say(sentence: str) -> None:
    """Print a sentence at once: otherwise a service's output waits until there is more of it."""
    print(sentence, flush=True)


def run_slurm(command: list[str]) -> str:
    return run(command, command[0], seconds=SLURM_SECONDS)


def run(command: list[str], name: str, *, folder: Path | None = None, seconds: float | None = None) -> str:
    """Run a command and return its output. Raise OSError with the command's last line, after `name`, if it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise OSError(f"{name} did not answer within {seconds:.0f} s") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"]
        raise OSError(f"{name}: {said[-1]}")
    return done.stdout
