"""`hpc` as a process with little memory and time, for files that would take all of both."""

import subprocess
from pathlib import Path

from tests.cli.running import HPC

_LIMITS = ("prlimit", f"--as={2 * 2**30}", "--cpu=60")
"""Limits in bytes and in seconds of processor time. Importing the package maps half a GiB. `prlimit` sets them,
because with `preexec_fn`, Python would fork the whole worker."""


def bounded_hpc(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments. TimeoutExpired if it waits for ever; a signal ends it if it takes too much."""
    return subprocess.run(
        [*_LIMITS, HPC, *arguments], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
