"""`hpc` as a process with little memory and time, for files that would take all of both."""

import resource
import subprocess
from pathlib import Path

from tests.cli.running import HPC

_ADDRESS_SPACE = 2 * 2**30
"""Bytes. The imports alone map half a GiB."""
_CPU_SECONDS = 60


def bounded_hpc(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments. TimeoutExpired if it waits for ever; a signal ends it if it takes too much."""
    return subprocess.run(
        [HPC, *arguments], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        preexec_fn=_limit, check=False,
    )  # fmt: skip


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
