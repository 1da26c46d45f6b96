"""Where the daemon of the simulation meets the world, and may be killed."""

from collections.abc import Callable
from typing import Any

from hpc_components.elastic.clock import Clock
from hpc_components.elastic.journal.file import Journal


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
