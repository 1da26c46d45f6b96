"""Notices when users reach a limit, and tells them on their terminals."""

from dataclasses import dataclass, field
from pathlib import Path

from here import terminals_of, write
from processes import CGROUPS, cgroups_below, uid_of, values

_QUIET_SECONDS = 60
"""A limit that is reached again within this time was reported already."""


@dataclass
class Notices:
    """Counts how often each user reached a limit."""

    _counts: dict[tuple[Path, str], int] | None = None
    _reached: dict[tuple[int, str], float] = field(default_factory=dict)
    """When each user last got each message."""

    def tell(self, now: float) -> None:
        """Tell users who have reached a limit since the last call. The first call only counts."""
        before, self._counts = self._counts, {}
        for slice_ in (CGROUPS / "user.slice").glob("user-*.slice"):
            counts = _counts(slice_)
            self._counts |= counts
            if before is not None:
                grown = {key for (file, key), count in counts.items() if count > before.get((file, key), 0)}
                self._tell_once(slice_, _message(slice_, grown), now)

    def _tell_once(self, slice_: Path, message: str, now: float) -> None:
        uid = uid_of(slice_)
        last = self._reached.get((uid, message), -_QUIET_SECONDS)
        self._reached[uid, message] = now
        if message and now - last >= _QUIET_SECONDS:
            write(terminals_of(uid), f"{message} Longer or larger work belongs in a job: sbatch, salloc.")
            print(f"uid {uid}: {message}", flush=True)


def _counts(slice_: Path) -> dict[tuple[Path, str], int]:
    """Return how often memory ran out (`oom`), a process was killed for it (`oom_kill`), and a fork failed (`max`).

    Kernels before 6.11 count a failed fork only in the group of the process. Source: kernel documentation,
    cgroup-v2.rst, "pids_localevents".
    """
    memory = slice_ / "memory.events"
    counts = {(memory, key): count for key, count in values(memory).items() if key in ("oom", "oom_kill")}
    forks = (cgroup / "pids.events" for cgroup in cgroups_below(slice_))
    return counts | {(file, "max"): values(file).get("max", 0) for file in forks}


def _message(slice_: Path, grown: set[str]) -> str:
    """Return what happened, given the counts that have grown; empty if nothing did."""
    if "oom_kill" in grown and "oom" not in grown:
        return "A program of yours was ended, because all users together used the memory of this node."
    if "oom_kill" in grown:
        gib = int((slice_ / "memory.max").read_text()) / 2**30
        return f"A program of yours was ended: your programs may use {gib:.3g} GiB of memory on this node together."
    if "max" in grown:
        most = (slice_ / "pids.max").read_text().strip()
        return f"A program of yours could not start: you can have {most} processes and threads on this node."
    return ""
