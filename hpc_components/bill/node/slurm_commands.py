import subprocess

SECONDS = 60.0
"""Timeout for one of Slurm's commands. If a daemon hangs, they give up earlier (MessageTimeout, 10 s)."""


def output_of(*command: str, seconds: float | None = SECONDS) -> str:
    """Run a command and return its output. Raise OSError with the command's last line if it fails, or takes longer
    than `seconds`.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise OSError(f"{command[0]} did not answer within {seconds:.0f} s") from None
    if done.returncode != 0:
        raise OSError(_last_line(done.stderr or done.stdout) or f"{command[0]}: status {done.returncode}")
    return done.stdout


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
