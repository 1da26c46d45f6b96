"""Manages a rehearsal's cgroups under each cgroup v1 controller. Also removes cgroups left behind in the v2
hierarchy.
"""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
"""Parent directory of the cgroup v1 controllers. On a machine that only uses cgroup v2, this is the root of the
hierarchy."""

CONTROLLERS = ("freezer", "memory", "cpuset", "devices", "cpuacct")
"""Controllers that Slurm's cgroup plugins need to start."""

_PREFIX = "hpc-rehearse-"


def are_available() -> bool:
    return all((CGROUPS / name / "cgroup.procs").exists() for name in CONTROLLERS)


def name_of(reaper: int) -> str:
    """Return the cgroup name for the rehearsal whose reaper has this process id.

    The name includes the start time of the process, so it is unique even if the process id is reused.
    """
    return f"{_PREFIX}{reaper}-{_start_time(reaper)}"


def remove(names: Iterable[str]) -> None:
    """Remove the named cgroups, which must no longer contain any processes."""
    for name in names:
        for top in _groups(name):
            for directory, _, _ in os.walk(top, topdown=False):
                _remove(Path(directory))


def remove_abandoned() -> None:
    """Remove the cgroups of rehearsals whose reaper was killed."""
    existing = {path.name for path in _groups(f"{_PREFIX}*")}
    remove(name for name in existing if not _is_in_use(name))


def _groups(name: str) -> list[Path]:
    return [*CGROUPS.glob(name), *CGROUPS.glob(f"*/{name}")]


def _is_in_use(name: str) -> bool:
    reaper = int(name.removeprefix(_PREFIX).partition("-")[0])
    with suppress(OSError):
        return name_of(reaper) == name
    return False


def _start_time(pid: int) -> str:
    """Return the start time of a process, in kernel ticks since boot (proc(5), stat, field 22)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def _remove(cgroup: Path) -> None:
    """Retry on failure, because the kernel may take a moment to notice that the processes are gone."""
    for _ in range(100):
        try:
            cgroup.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return
