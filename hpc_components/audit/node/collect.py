"""Collects new records into files, which a script then sends to the cloud's log service.

A file is removed when it has been sent. So after a failure records are sent again, some of them possibly twice, but
none is lost as long as the disk of the node remains.
"""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from hpc_components.audit.node.record import Record, to_line
from hpc_components.audit.node.trail import SOURCES, read_trail
from hpc_components.audit.node.watched_files import changed_since

STATE = Path("/var/lib/hpc-audit")

MAX_RECORDS = 200
"""Maximum number of records in a file, so that one call of any cloud takes it: CloudWatch Logs and Azure Monitor
accept 1 MB (PutLogEvents; "Logs ingestion API", limits), and a character has up to 4 bytes."""

MAX_FILES = 1000
"""Maximum number of files that wait. If the log service does not answer for long, the oldest are removed."""

_SETTLED_SECONDS = 3
"""Records of the last seconds wait for the next run: the logs may not have all of them yet."""


def collect(state: Path = STATE, now: float | None = None) -> None:
    """Write the records since the last run into files, and print which watched files have changed, for the journal.

    The first run begins with the last day. Raise OSError if the state can't be written.
    """
    state.mkdir(mode=0o700, exist_ok=True)
    until = int(now or time.time()) - _SETTLED_SECONDS
    read = _positions(state)
    windows = {name: (read.get(name, until - 86400), until) for name in SOURCES}
    trail = read_trail({name: window for name, window in windows.items() if window[0] < until})
    _write(state, trail.records, until)
    done = {name: until if name not in trail.unread else since for name, (since, _) in windows.items()}
    _replace(state / "positions.json", json.dumps(done))
    for each in changed_since(state / "sums.json"):
        print(each)


def waiting(state: Path = STATE) -> list[Path]:
    """Return the files that are to be sent, the oldest first."""
    return sorted(state.glob("*.jsonl"))


def _write(state: Path, records: Iterable[Record], until: int) -> None:
    lines = [to_line(each) for each in records]
    for number, at in enumerate(range(0, len(lines), MAX_RECORDS)):
        text = "".join(f"{line}\n" for line in lines[at : at + MAX_RECORDS])
        _replace(state / f"{until:012d}-{number:04d}.jsonl", text)
    for old in waiting(state)[:-MAX_FILES]:
        old.unlink()


def _positions(state: Path) -> Mapping[str, int]:
    try:
        return json.loads((state / "positions.json").read_text())
    except (OSError, ValueError):
        return {}


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.new")
    new.write_text(text)
    new.replace(path)
