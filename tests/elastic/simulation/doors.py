"""Where the daemon of the simulation meets the world, and may be killed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from hpc_components.elastic.clock import Clock
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.ledger.file import LedgerFiles
from hpc_components.elastic.ledger.records import Record, line_of, record_of


class Crash(BaseException):
    """kill -9."""


class WrongError(AssertionError):
    """What must never be."""


class MemoryJournal(Journal):
    """A disk that outlives the daemon."""

    def __init__(self, disk: dict[str, str], clock: Clock, boundary: Callable[[], None]) -> None:
        self._disk = disk
        self._boundary = boundary
        super().__init__(None, clock)  # type: ignore[arg-type]

    def _read(self) -> str | None:
        return self._disk.get("journal")

    def _write(self, text: str) -> None:
        self._boundary()
        self._disk["journal"] = text
        self._boundary()


class MemoryLedger(LedgerFiles):
    """The records on a disk that outlives the daemon."""

    def __init__(self, lines: list[str], clock: Clock, boundary: Callable[[], None]) -> None:
        self._lines, self._clock, self._boundary = lines, clock, boundary

    def written(self) -> float | None:
        return self._clock() if self._lines else None

    def read(self, on_malformed: Callable[[str], None]) -> Iterator[Record]:
        return (record for line in self._lines if (record := record_of(line)))

    def append(self, records: Sequence[Record], now: float, state: Iterable[Record] = ()) -> None:
        self._boundary()
        self._lines += map(line_of, records)
        self._boundary()

    def touch(self, now: float) -> None:
        pass


class Door:
    """A fake as the daemon sees it: it may be killed before and after every call, and time may pass in a call."""

    def __init__(self, boundary: Callable[[], None], fake: Any) -> None:
        self._boundary = boundary
        self._fake = fake

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._fake, name)
        if not callable(call):
            return call

        def through(*args: Any) -> Any:
            self._boundary()
            try:
                return call(*args)
            finally:
                self._boundary()

        setattr(self, name, through)
        return through
