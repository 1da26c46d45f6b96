"""Reads processes and control groups of users from the kernel."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")

SERVICES_UIDS = range(60_000, 65_536)
"""Uids of services above 1000, such as slurm's. Source: Debian Policy Manual, 9.2.2 "UID and GID classes"; systemd,
"Users, Groups, UIDs and GIDs on systemd Systems"."""

_TERMINAL_MAJORS = range(136, 144)  # pseudo terminals; kernel documentation, admin-guide/devices.txt


@dataclass(frozen=True)
class Process:
    """A running process."""

    pid: int
    uid: int
    session: int
    """Process id of the leader of its session."""
    terminal: str
    """Controlling terminal, for example pts/0; empty without one."""
    start: float
    """Seconds since the epoch."""


def is_user(uid: int) -> bool:
    """Return whether a uid belongs to a person, not to root or a service."""
    return uid >= 1000 and uid not in SERVICES_UIDS


def processes_in(cgroups: Iterable[Path]) -> Iterator[Process]:
    """Yield the processes directly in the control groups, except those that end meanwhile."""
    for cgroup in cgroups:
        for pid in _lines(cgroup / "cgroup.procs"):
            if process := _process(int(pid)):
                yield process


def slice_of(uid: int) -> Path:
    return CGROUPS / "user.slice" / f"user-{uid}.slice"


def uid_of(slice_: Path) -> int:
    return int(slice_.name.removeprefix("user-").removesuffix(".slice"))


def cgroups_below(cgroup: Path) -> Iterator[Path]:
    """Yield the control group and all below it."""
    for folder, _, _ in os.walk(cgroup):
        yield Path(folder)


def values(file: Path) -> dict[str, int]:
    """Return the numbers of a file such as memory.stat by their names. Empty if the control group is gone."""
    return {name: int(value) for name, _, value in (line.partition(" ") for line in _lines(file))}


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:  # the group has ended, or its controller is off
        return []


def _process(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    uid = next(line for line in status.splitlines() if line.startswith("Uid:")).split()[1]
    # proc_pid_stat(5): session is field 6, tty_nr 7, starttime 22; the state, field 3, comes first here
    device, since_boot = int(stat[4]), int(stat[19]) / os.sysconf("SC_CLK_TCK")
    terminal = f"pts/{os.minor(device)}" if os.major(device) in _TERMINAL_MAJORS else ""
    return Process(pid, int(uid), int(stat[3]), terminal, _booted() + since_boot)


def _booted() -> float:
    return next(float(line.split()[1]) for line in _lines(Path("/proc/stat")) if line.startswith("btime"))
