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
"""Formats an event as a log line. An event is a dictionary with the keys `time`, `kind`, `nodes` and `words`."""


def say(show: Show, level: int, at: float, kind: str, nodes: str, words: str) -> None:
    """Write errors, such as a full disk, are ignored, because jobs must get their nodes even without a log."""
    line = show({"time": at, "kind": kind, "nodes": nodes, "words": words})
    with suppress(OSError):
        sys.stdout.write(mark(level, line) + "\n")  # a single write, because other threads also log
        sys.stdout.flush()


def as_text(line: dict[str, Any]) -> str:
    """The time is left out because journald adds it."""
    return line["words"]


def as_json(line: dict[str, Any]) -> str:
    return json.dumps(line)


def only_json() -> None:
    """Redirect everything that this process writes to stderr to the log, as JSON.

    An uncaught exception becomes a single line of kind `fault` with the whole traceback. Everything else (warnings,
    output from an SDK's loggers, our own error messages) gets the kind `stderr`.
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
    """A text stream that writes to the log.

    Text is buffered until a `write` ends with a newline, and then logged as a single JSON object.
    """

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def write(self, text: str) -> int:
        self._of_thread.text = getattr(self._of_thread, "text", "") + text
        if text.endswith("\n"):
            self.flush()
        return len(text)

    def flush(self) -> None:
        words, self._of_thread.text = getattr(self._of_thread, "text", ""), ""
        if words.strip():
            _tell("stderr", words)
