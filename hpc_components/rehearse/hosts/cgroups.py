"""Manages a rehearsal's cgroups below each controller of cgroup v1. Removes leftovers from v2 as well."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
"""Directory in which each cgroup v1 controller has its own directory. With cgroup v2 alone, the hierarchy itself."""

CONTROLLERS = ("freezer", "memory", "cpuset", "devices", "cpuacct")
"""Controllers without which Slurm's cgroup plugins do not start."""

_PREFIX = "hpc-rehearse-"


def are_available() -> bool:
    """Return whether hosts on this machine can have their own cgroups."""
    return all((CGROUPS / name / "cgroup.procs").exists() for name in CONTROLLERS)


def name_of(reaper: int) -> str:
    """Return the name for the cgroups of the rehearsal with this reaper process.

    The name is unique: no later process gets the same one.
    """
    return f"{_PREFIX}{reaper}-{_start_time(reaper)}"


def remove(names: Iterable[str]) -> None:
    """Remove the cgroups with these names. They must no longer contain any processes."""
    for name in names:
        for top in _groups(name):
            for directory, _, _ in os.walk(top, topdown=False):
                _remove(Path(directory))


def remove_abandoned() -> None:
    """Remove the cgroups of rehearsals whose reaper was killed."""
    existing = {path.name for path in _groups(f"{_PREFIX}*")}
    remove(name for name in existing if not _is_in_use(name))


def _groups(name: str) -> list[Path]:
    """Return the cgroups whose names match the pattern `name`, in every hierarchy."""
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
    """Remove an empty cgroup. The kernel may take a moment to notice that its processes are gone."""
    for _ in range(100):
        try:
            cgroup.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return
