"""The machine whose health is checked, as far as its files show it."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 1 << 16


@dataclass(frozen=True)
class Machine:
    """The files of this machine, or of an emulated one below `root`."""

    root: Path = Path("/")

    def text(self, path: str) -> str | None:
        """Return the stripped text of a file, or None if it can't be read."""
        with suppress(OSError):
            return (self.root / path.lstrip("/")).read_text(errors="replace").strip()
        return None

    def number(self, path: str) -> int | None:
        """Return the number in a file, or None if it has no number."""
        with suppress(ValueError):
            return int(self.text(path) or "")
        return None

    def names(self, path: str) -> tuple[str, ...] | None:
        """Return the sorted names in a directory, or None if it can't be read."""
        with suppress(OSError):
            return tuple(sorted(os.listdir(self.root / path.lstrip("/"))))
        return None

    def kernel_log(self) -> str | None:
        """Return the kernel's messages since the boot that its buffer still has, or None if they can't be read."""
        try:
            file = os.open(self.root / "dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        found: list[bytes] = []
        try:
            while block := self._block(file):
                found.append(block)
        finally:
            os.close(file)
        return b"".join(found).decode(errors="replace")

    def _block(self, file: int) -> bytes:
        """Return the next message, or nothing after the last one."""
        while True:
            try:
                return os.read(file, _BLOCK)
            except BrokenPipeError:  # the message was overwritten meanwhile; the next read returns a later one
                continue
            except OSError:
                return b""
