"""Records what happened to each key of a converted file."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hpc_components.spec.findings import Path


class Outcome(StrEnum):
    """What happened to a key."""

    DECIDE = "decide"
    """The user must decide, because the file leaves a question open or the description has no equivalent."""
    CORRECTED = "corrected"
    """The key's value was changed, because it would not work or is written differently in a description."""
    DROPPED = "dropped"
    """The key is left out."""
    TAKEN = "taken"
    """The description has an equivalent."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """A key of the converted file, and its outcome."""

    outcome: Outcome
    key: str
    """Dotted path in the converted file. It is in parentheses if the note is about something that the file does not
    set."""
    line: int
    """Line number, from 1."""
    column: int
    """Column number, from 1."""
    value: Any = None
    """The key's value if it is plain, or None for a mapping or list."""
    made: str = ""
    """The resulting key of the description with its value, e.g. `head_node.machine: c6i.xlarge`."""
    reason: str = ""
    """Why the key was not taken over unchanged; empty if there is nothing to explain."""
    remedy: str = ""
    """What the user can do; empty if nothing needs to be done."""
    place: Path = ()
    """Path below `hpc:cluster` where the stack file has the comment on this decision."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """The result of converting a file."""

    source: str
    """The converted file's name in messages."""
    format: str
    """Name of the tool that the format belongs to."""
    settings: dict[str, Any]
    """Keys of the stack file's `config` other than the cluster."""
    cluster: dict[str, Any]
    """Value of `hpc:cluster`, made up of plain values in the order in which they are to be written."""
    notes: tuple[Note, ...]
    """A note on each key, in file order."""


def of_outcome(notes: Iterable[Note], outcome: Outcome) -> list[Note]:
    """Return the notes with this outcome."""
    return [note for note in notes if note.outcome is outcome]
