"""Exchanges the sessions of all login nodes by files in a directory of a file system that they share.

Each node writes one file and reads the others. A separate process does this as the user slurm, because root may have
no rights there (root squash), and because a process hangs while the file server does not answer.
"""

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sessions import Report, Session

STALE_SECONDS = 60
"""Age at which a report no longer counts, because its node is gone or can't write."""

_FORGOTTEN_SECONDS = 3600
_TIMEOUT_SECONDS = 10


class UnreachableError(Exception):
    """Sessions can't be exchanged, for the reason given."""


@dataclass
class Exchange:
    """The shared directory, as seen by the service."""

    directory: str
    node: str
    _process: subprocess.Popen[str] | None = None

    def reports(self, here: Sequence[Session]) -> list[Report]:
        """Write this node's sessions and return the other nodes' that are not stale. Raise UnreachableError."""
        if self._process and self._process.poll() is None:
            raise UnreachableError(f"{self.directory} does not answer")
        process = self._process = subprocess.Popen(
            (sys.executable, "-I", sys.path[0], "exchange", self.directory, self.node),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            user="slurm",
            group="slurm",
            extra_groups=[],
        )
        try:
            out, err = process.communicate(_written(here), timeout=_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()  # takes effect when the file server answers again
            raise UnreachableError(f"{self.directory} does not answer") from None
        if process.returncode != 0:
            raise UnreachableError(err.strip().rpartition("\n")[2])
        now = time.time()
        found = [_read(node, text) for node, text in json.loads(out).items()]
        return [report for report in found if abs(now - report.written) < STALE_SECONDS]


def exchange(directory: str, node: str) -> None:
    """Write stdin to the node's file in the directory, and the other nodes' files to stdout. Exit with a reason."""
    folder = Path(directory)
    _check(folder)
    own = folder / f"{node}.json"
    new = folder / f".{node}.new"
    new.write_text(sys.stdin.read())
    new.rename(own)
    others = [file for file in folder.glob("*.json") if file != own]
    for file in [file for file in others if time.time() - file.stat().st_mtime > _FORGOTTEN_SECONDS]:
        file.unlink(missing_ok=True)
        others.remove(file)
    for file in others:
        if file.stat().st_uid != os.geteuid():
            raise SystemExit(f"{file} is not slurm's: slurm must have the same uid on all nodes")
    json.dump({file.stem: file.read_text() for file in others}, sys.stdout)


def _check(folder: Path) -> None:
    """Refuse a directory that users could have made, or that is not on the shared file system."""
    if not folder.parent.is_mount():
        raise SystemExit(f"{folder.parent} is not mounted")
    try:
        found = folder.lstat()
    except OSError as error:
        raise SystemExit(f"{folder}: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise SystemExit(f"{folder} is not a directory of slurm's with mode 700: remove it, then run hpc-update")


def _written(sessions: Iterable[Session]) -> str:
    lines = [[each.start, each.id, each.uid, each.terminal] for each in sessions]
    return json.dumps({"written": time.time(), "sessions": lines})


def _read(node: str, text: str) -> Report:
    report = json.loads(text)
    sessions = (Session(start, node, id_, uid, terminal) for start, id_, uid, terminal in report["sessions"])
    return Report(report["written"], tuple(sessions))
