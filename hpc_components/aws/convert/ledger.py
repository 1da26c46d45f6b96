"""Keeps account of what became of each key, and reads values on the way."""

from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.convert.notes import Note, Outcome
from hpc_components.spec.findings import Path

_FLAGS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
"""Words that PyYAML, with which ParallelCluster reads files, takes for booleans; in quotes, marshmallow does."""


class Ledger:
    """The notes of one conversion."""

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self.paths: set[Path] = set()
        """The paths of all noted keys in the file."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes, each once, in the order of the file."""
        return tuple(sorted(dict.fromkeys(self._notes), key=lambda note: (note.line, note.column)))

    def taken(self, entry: Entry, made: str, reason: str = "", remedy: str = "") -> None:
        """The description says the same."""
        self._note(Outcome.TAKEN, entry, made=made, reason=reason, remedy=remedy)

    def corrected(self, entry: Entry, made: str, reason: str, remedy: str = "") -> None:
        """It would not work as written, or is done in another way."""
        self._note(Outcome.CORRECTED, entry, made=made, reason=reason, remedy=remedy)

    def dropped(self, entry: Entry, reason: str, remedy: str = "") -> None:
        """It is left out."""
        self._note(Outcome.DROPPED, entry, reason=reason, remedy=remedy)

    def decide(self, entry: Entry, reason: str, remedy: str, place: Path = (), made: str = "") -> None:
        """Somebody must decide; the stack file has a comment at `place`."""
        self._note(Outcome.DECIDE, entry, made=made, reason=reason, remedy=remedy, place=place)

    def number(self, entry: Entry | None, place: Path = ()) -> int | None:
        """A whole number; None if there is none, which is then noted."""
        if entry is None:
            return None
        try:
            return int(str(entry.value), 10)
        except ValueError:
            self._refused(entry, "a whole number", place)
            return None

    def amount(self, entry: Entry | None, place: Path = ()) -> float | None:
        """A number; None if there is none, which is then noted."""
        if entry is None:
            return None
        try:
            return float(entry.value)
        except (TypeError, ValueError):
            self._refused(entry, "a number", place)
            return None

    def word(self, entry: Entry | None, place: Path = ()) -> str | None:
        """A text; None if there is none, which is then noted."""
        if entry is None:
            return None
        if isinstance(entry.value, dict | list):
            self._refused(entry, "a text", place)
            return None
        return str(entry.value)

    def _refused(self, entry: Entry, kind: str, place: Path) -> None:
        told = "" if isinstance(entry.value, dict | list) else f": {entry.value}"
        self.decide(entry, f"this is not {kind}{told}", "correct it, and convert the file again", place)

    def _note(self, outcome: Outcome, entry: Entry, **told: Any) -> None:
        value = entry.value if entry.written is None else entry.written
        plain = None if isinstance(value, dict | list) else value
        if entry.moved and outcome is Outcome.TAKEN:
            outcome = Outcome.CORRECTED
            told["reason"] = "; ".join(filter(None, (entry.moved, told["reason"])))
        note = Note(
            outcome=outcome, key=entry.key, line=entry.at.line, column=entry.at.column, value=plain, **told
        )  # fmt: skip
        self._notes.append(note)
        self.paths.add(entry.path)


def flag(value: Any, default: bool = False) -> bool:
    """A value that may be written in any way that ParallelCluster takes for a boolean."""
    return value if isinstance(value, bool) else _FLAGS.get(str(value).lower(), default)


def made(path: str, value: Any) -> str:
    """What the description has in a key's place."""
    if isinstance(value, bool):
        return f"{path}: {str(value).lower()}"
    return f"{path}: {value}"
