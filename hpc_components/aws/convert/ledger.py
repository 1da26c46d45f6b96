from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.convert.notes import Note, Outcome
from hpc_components.spec.findings import Path

_FLAGS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
"""Maps words to booleans as ParallelCluster does: PyYAML converts unquoted words, and marshmallow converts quoted
ones."""


class Ledger:
    """Notes collected during a single conversion."""

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self.paths: set[Path] = set()
        """Paths of all keys in the file that have a note."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes, without duplicates, in file order."""
        return tuple(sorted(dict.fromkeys(self._notes), key=lambda note: (note.line, note.column)))

    def taken(self, entry: Entry, made: str, reason: str = "", remedy: str = "") -> None:
        self._note(Outcome.TAKEN, entry, made=made, reason=reason, remedy=remedy)

    def corrected(self, entry: Entry, made: str, reason: str, remedy: str = "") -> None:
        """Add a note on a key that would not work as written, or that is handled differently."""
        self._note(Outcome.CORRECTED, entry, made=made, reason=reason, remedy=remedy)

    def dropped(self, entry: Entry, reason: str, remedy: str = "") -> None:
        self._note(Outcome.DROPPED, entry, reason=reason, remedy=remedy)

    def decide(self, entry: Entry, reason: str, remedy: str, place: Path = (), made: str = "") -> None:
        """Add a note on a key that requires the user's decision. A comment is added to the stack file at `place`."""
        self._note(Outcome.DECIDE, entry, made=made, reason=reason, remedy=remedy, place=place)

    def number(self, entry: Entry | None, place: Path = ()) -> int | None:
        """Return the entry's value as an integer. If the value isn't an integer, add a note and return None."""
        if entry is None:
            return None
        try:
            return int(str(entry.value), 10)
        except ValueError:
            self._refused(entry, "a whole number", place)
            return None

    def amount(self, entry: Entry | None, place: Path = ()) -> float | None:
        if entry is None:
            return None
        try:
            return float(entry.value)
        except (TypeError, ValueError):
            self._refused(entry, "a number", place)
            return None

    def word(self, entry: Entry | None, place: Path = ()) -> str | None:
        if entry is None:
            return None
        if isinstance(entry.value, dict | list):
            self._refused(entry, "text", place)
            return None
        return str(entry.value)

    def _refused(self, entry: Entry, kind: str, place: Path) -> None:
        told = "" if isinstance(entry.value, dict | list) else f": {entry.value}"
        self.decide(entry, f"the value is not {kind}{told}", "correct the value, and convert the file again", place)

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
    return value if isinstance(value, bool) else _FLAGS.get(str(value).lower(), default)


def made(path: str, value: Any) -> str:
    """Format the description key and value that replace a key of the file."""
    if isinstance(value, bool):
        return f"{path}: {str(value).lower()}"
    return f"{path}: {value}"
