"""Asks a cloud's own command for an access token, so that preflight needs no library and stores no secret."""

import shutil
import subprocess

from hpc_components.preflight.account import NoAccountError

_SECONDS = 60


def output_of(command: str, *arguments: str, log_in: str) -> str:
    """Return what a command prints. Raise NoAccountError, with `log_in` as the remedy, if it is missing or fails."""
    path = shutil.which(command)
    if path is None:
        raise NoAccountError(f"the command {command} is not installed; install it, and log in with `{log_in}`")
    try:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAccountError(f"`{command}` does not run ({error}); log in with `{log_in}`") from None
    if done.returncode != 0:
        why = next(iter(done.stderr.strip().splitlines()), f"exit code {done.returncode}")
        raise NoAccountError(f"`{command}` has no credentials ({why}); log in with `{log_in}`")
    return done.stdout.strip()
