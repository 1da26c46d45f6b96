"""Runs a command of a cloud's own command line, with the user's own credentials and without a shell."""

import os
import subprocess
from collections.abc import Mapping, Sequence

_SECONDS = 300
"""Time after which a command of the cloud is given up."""


def run_cloud_command(command: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Return a command's output, and why it failed, or an empty string. `environment` is added to this process's."""
    name = " ".join(command[:4])
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "", f"{name} did not end within {_SECONDS} s"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    failure = f"{name} failed: {said[-1] if said else f'exit code {done.returncode}'}" if done.returncode else ""
    return done.stdout.decode(errors="replace"), failure
