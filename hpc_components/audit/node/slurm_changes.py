"""Changes of Slurm: those of accounts and limits from its database, those of queues and nodes from slurmctld's log.

The database names who made a change. At its usual level, slurmctld's log does not name who changed a queue, a node or
a reservation: there, the record of sudo in the same second does.
"""

import re
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from hpc_components.audit.node.record import Record

LOG = Path("/var/log/slurm/slurmctld.log")

_TIME = "%Y-%m-%dT%H:%M:%S"

_LINE = re.compile(r"\[(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?\] (?P<text>.*)")

# as Slurm 22.05 and 24.11 log them at the level `info`
_CHANGES = (
    re.compile(r"(update_part: setting .* for partition .*)"),
    re.compile(r"update_node: (node \S+ reason set to: (?!hpc: ).*)"),  # not those of the daemon that launches nodes
    re.compile(r"sched: ((?:Created|Updated) reservation=.*?)(?: cores=.*)?$"),
    re.compile(
        r"(_slurm_rpc_(?:delete_reservation|resv_delete|delete_partition|delete_node) complete for .*?)(?: usec=.*)?$"
    ),
    re.compile(r"(Processing Reconfiguration Request)"),
    re.compile(r"(Set (?:debug level|DebugFlags) to .*)"),
)


def read_transactions(since: int, until: int) -> Iterator[Record]:
    """Yield the changes of Slurm's database from `since`, until before `until`, in seconds since the epoch.

    Raise OSError if the database does not answer. Source: sacctmgr(1), "list transactions"
    """
    if not Path("/etc/slurm/slurmdbd.conf").exists():
        return
    fields = "format=TimeStamp,Actor,Action,Where,Info"
    command = ["sacctmgr", "--noheader", "--parsable2", "list", "transactions"]
    window = [f"Start={_local(since)}", f"End={_local(until)}"]
    done = subprocess.run([*command, *window, fields], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise OSError(f"sacctmgr: {done.stderr.strip().rpartition(chr(10))[2] or 'no answer'}")
    for line in done.stdout.splitlines():
        parts = line.split("|", 3)
        if len(parts) == 4 and since <= (at := _epoch(parts[0])) < until:
            what = f"{parts[2]} {parts[3].replace('|', ' ')}".strip()
            yield Record(at=at, kind="slurm", who=parts[1], what=what)


def read_controller_log(since: int, until: int, log: Path = LOG) -> Iterator[Record]:
    """Yield the changes in slurmctld's log and in its latest rotated one. Raise OSError if a log can't be read."""
    for path in (log.with_name(f"{log.name}.1"), log):
        if path.exists() and path.stat().st_mtime >= since:
            with path.open(errors="replace") as lines:
                yield from (each for each in changes(lines) if since <= each.at < until)


def changes(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the records of lines of slurmctld's log."""
    for line in lines:
        if not (found := _LINE.match(line)):
            continue
        for pattern in _CHANGES:
            if change := pattern.match(found["text"]):
                yield Record(at=_epoch(found["time"]), kind="slurm", who="", what=f"slurmctld: {change[1]}")


def _epoch(text: str) -> float:
    """Return a time of Slurm's, which is local time without a zone."""
    return time.mktime(time.strptime(text, _TIME))


def _local(at: int) -> str:
    return time.strftime(_TIME, time.localtime(at))
