import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

from hpc_components.elastic.ledger.records import Record, line_of, record_of

_NAME = re.compile(r"\d{4}-\d\d-\d\d\.jsonl")


class LedgerFiles:
    """A folder with a file of records for each UTC day. Records are only ever appended.

    A write that was interrupted leaves an incomplete last line, which is cut off before the next write and ignored by
    readers. The first file of a month begins with the state, so that older files are needed only for bills of older
    months.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def days(self) -> list[Path]:
        """Return the files, oldest first."""
        with suppress(FileNotFoundError):
            return sorted(each for each in self.folder.iterdir() if _NAME.fullmatch(each.name))
        return []

    def recent(self) -> list[Path]:
        """Return the files of the last month, and the one before them."""
        days = self.days()
        first = next((index for index, each in enumerate(days) if each.name[:7] == days[-1].name[:7]), 0)
        return days[max(first - 1, 0) :]

    def written(self) -> float | None:
        """Return the time of the last write or `touch`, or None if there is no file."""
        days = self.days()
        return days[-1].stat().st_mtime if days else None

    def read(self, on_malformed: Callable[[str], None]) -> Iterator[Record]:
        """Yield the records that the daemon needs to go on; see `read`."""
        return read(self.recent(), on_malformed)

    def append(self, records: Sequence[Record], now: float, state: Iterable[Record] = ()) -> None:
        """Write the records to the file of the day, and wait until they are on disk.

        `state` is written first if the file is the first one of its month. Raise OSError if that fails; the records
        may then be written again.
        """
        day = datetime.fromtimestamp(now, timezone.utc).strftime("%Y-%m-%d")  # noqa: UP017  Python 3.10
        path = self.folder / f"{day}.jsonl"
        self.folder.mkdir(mode=0o700, exist_ok=True)
        text = "".join(map(line_of, records)).encode()
        if path.exists() or any(each.name[:7] == day[:7] for each in self.days()):
            new = not path.exists()
            _append(path, text)
        else:
            new = True
            beside = path.with_name(f"{path.name}.new")
            with suppress(FileNotFoundError):
                beside.unlink()
            _append(beside, "".join(map(line_of, state)).encode() + text)
            beside.replace(path)
        os.utime(path, (now, now))
        if new:
            _sync_folder(self.folder)

    def append_to_last(self, records: Sequence[Record]) -> None:
        """Write records about earlier times to the last file, which must exist.

        That never begins a month, which only the daemon can do because it knows the state. The time of the last write
        stays, because it shows when a daemon last ran.
        """
        path = self.days()[-1]
        before = path.stat().st_mtime
        _append(path, "".join(map(line_of, records)).encode())
        os.utime(path, (before, before))

    def touch(self, now: float) -> None:
        """Note in the time of the last file that a daemon is running. Raise OSError if that fails."""
        if days := self.days():
            os.utime(days[-1], (now, now))


def read(paths: Iterable[Path], on_malformed: Callable[[str], None]) -> Iterator[Record]:
    """Yield the records of these files. `on_malformed` gets a message, with file and line, for each malformed line
    that is not merely the incomplete end of a file."""
    for path in paths:
        for number, line in enumerate(whole_lines(path), 1):
            try:
                record = record_of(line.decode())
            except ValueError as error:
                on_malformed(f"{path}, line {number}: {error}")
                continue
            if record is not None:
                yield record


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, apart from the last one if it is incomplete, because a write was interrupted."""
    with path.open("rb") as lines:
        yield from (line for line in lines if line.endswith(b"\n"))


def _append(path: Path, text: bytes) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # the daemon and an administrator may write at the same time
        owner = path.parent.stat()
        if os.geteuid() == 0 and owner.st_uid != 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
        end = _end_of_lines(descriptor)
        os.ftruncate(descriptor, end)
        os.lseek(descriptor, end, os.SEEK_SET)
        left = memoryview(text)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _end_of_lines(descriptor: int) -> int:
    """Return the size of the file without an incomplete last line."""
    size = end = os.lseek(descriptor, 0, os.SEEK_END)
    while end:
        start = max(0, end - 4096)
        at = os.pread(descriptor, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0 if size else size


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
