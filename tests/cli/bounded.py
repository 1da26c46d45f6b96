"""`hpc` as a process with little memory and time, for files that would take all of both."""

import subprocess
from pathlib import Path

from tests.cli.running import HPC

_LIMITS = ("prlimit", f"--as={2 * 2**30}", "--cpu=60")
"""Bytes, of which the imports alone map half a GiB, and seconds of the processor. A program sets them, because Python
would fork the whole worker for a `preexec_fn`."""


def bounded_hpc(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments. TimeoutExpired if it waits for ever; a signal ends it if it takes too much."""
    return subprocess.run(
        [*_LIMITS, HPC, *arguments], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
