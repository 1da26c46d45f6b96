"""Ends what former people still have on this node: sessions, processes, cron and at jobs."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FIRST_ID = 1000
"""Processes of lower ids are the system's, and never ended. Source: Debian policy, 9.2.2."""

GRACE_SECONDS = 10.0
"""Seconds within which all processes must end after SIGKILL; the next run continues."""


@dataclass(frozen=True)
class Spool:
    """Where the system keeps what runs without a session."""

    crontabs: Path = Path("/var/spool/cron/crontabs")
    at_jobs: Path = Path("/var/spool/cron/atjobs")
    linger: Path = Path("/var/lib/systemd/linger")
    sessions: Path = Path("/run/systemd/users")
    """Files that systemd-logind has for each user with a session."""
    processes: Path = Path("/proc")


def end_all(former: Mapping[int, str], spool: Spool) -> tuple[str, ...]:
    """End everything of the former people, given as a mapping from id to name. Return a sentence for each person of
    whom something was ended.

    Raise OSError if processes are left.
    """
    former = {id: name for id, name in former.items() if id >= FIRST_ID}
    ended = {id for id, name in former.items() if _remove_schedules(id, name, spool)}
    running = {id for id, _ in _processes(former, spool.processes)}
    for id in running:
        if (spool.sessions / str(id)).exists():
            subprocess.run(["loginctl", "terminate-user", str(id)], check=False, capture_output=True)
    _kill(former, spool.processes)
    return tuple(f"ended the sessions and processes of {former[id]} ({id})" for id in sorted(ended | running))


def _remove_schedules(id: int, name: str, spool: Spool) -> bool:
    files = [spool.crontabs / name, spool.linger / name]
    if spool.at_jobs.is_dir():
        files += [file for file in spool.at_jobs.iterdir() if file.lstat().st_uid == id]
    there = [file for file in files if file.is_file()]
    for file in there:
        file.unlink(missing_ok=True)
    return bool(there)


def _kill(former: Mapping[int, str], processes: Path) -> None:
    """Kill until no process is left, because one may start another while it is killed."""
    end = time.monotonic() + GRACE_SECONDS
    while left := list(_processes(former, processes)):
        if time.monotonic() > end:
            who = ", ".join(sorted({former[id] for id, _ in left}))
            raise OSError(f"processes of {who} do not end, e.g. {left[0][1]}; tried again in a minute")
        for _, process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.1)


def _processes(former: Mapping[int, str], processes: Path) -> Iterator[tuple[int, int]]:
    """Yield (user id, process id) for each process that runs as one of the former people, zombies excepted."""
    if not former:
        return
    for folder in processes.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            status = (folder / "status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = dict(line.partition(":")[::2] for line in status.splitlines())
        id = int(fields["Uid"].split()[0])
        if id in former and not fields["State"].strip().startswith(("Z", "X")):
            yield id, int(folder.name)
