"""Writes the daemon's log: one line per event, as text or as a JSON object."""

import json
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import TextIOBase
from types import TracebackType
from typing import Any

from hpc_components.elastic.daemon.systemd import WARNING, mark

Show = Callable[[dict[str, Any]], str]
"""Function that formats an event (`time`, `kind`, `nodes` and `words`) as a log line."""


def say(show: Show, level: int, at: float, kind: str, nodes: str, words: str) -> None:
    """Write one line to the log.

    Ignore write errors such as a full disk, because jobs must get nodes even without a log.
    """
    line = show({"time": at, "kind": kind, "nodes": nodes, "words": words})
    with suppress(OSError):
        sys.stdout.write(mark(level, line) + "\n")  # in one write: programs wake the daemon from other threads
        sys.stdout.flush()


def as_text(line: dict[str, Any]) -> str:
    """Return the line for an operator. journald adds the time."""
    return line["words"]


def as_json(line: dict[str, Any]) -> str:
    """Return the line as a JSON object, for programs."""
    return json.dumps(line)


def only_json() -> None:
    """From now on, write everything that this process would write to stderr to the log, as JSON.

    An uncaught exception becomes one line of kind `fault` with its whole traceback. Everything else (warnings, output
    of an SDK's loggers, our own error messages) gets the kind `stderr`.
    """
    sys.stderr = _Stderr()
    sys.excepthook = _fault
    threading.excepthook = lambda hooked: _fault(hooked.exc_type, hooked.exc_value, hooked.exc_traceback)
    sys.unraisablehook = lambda hooked: _fault(hooked.exc_type, hooked.exc_value, hooked.exc_traceback)


def _fault(kind: type[BaseException], error: BaseException | None, place: TracebackType | None) -> None:
    _tell("fault", "".join(traceback.format_exception(kind, error, place)))


def _tell(kind: str, words: str) -> None:
    say(as_json, WARNING, time.time(), kind, "", words.strip())


class _Stderr(TextIOBase):
    """A text stream whose lines go to the log.

    Each call of `write` whose text ends with a newline produces one object.
    """

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def write(self, text: str) -> int:
        """Buffer the text until its line ends."""
        self._of_thread.text = getattr(self._of_thread, "text", "") + text
        if text.endswith("\n"):
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write the buffered text to the log."""
        words, self._of_thread.text = getattr(self._of_thread, "text", ""), ""
        if words.strip():
            _tell("stderr", words)
