"""Notes on what became of each key of a converted file."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hpc_components.spec.findings import Path


class Outcome(StrEnum):
    """What became of a key."""

    DECIDE = "decide"
    """The user must decide: the file leaves it open, or there is no equivalent here."""
    CORRECTED = "corrected"
    """Its value would not work, or is written in another way here."""
    DROPPED = "dropped"
    """The key is left out."""
    TAKEN = "taken"
    """The description has an equivalent."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """One key, and its outcome."""

    outcome: Outcome
    key: str
    """Dotted path in the converted file; in parentheses if the note concerns something that no key says."""
    line: int
    """Line, from 1."""
    column: int
    """Column, from 1."""
    value: Any = None
    """The key's value, if it is plain."""
    made: str = ""
    """The resulting key of the description with its value: `head_node.machine: c6i.xlarge`."""
    reason: str = ""
    """Why the key is not simply taken over; empty if there is nothing to explain."""
    remedy: str = ""
    """What the user can do about it; empty if nothing is needed."""
    place: Path = ()
    """Path below `hpc:cluster` at which the stack file gets a comment on the decision."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """The result of converting a file."""

    source: str
    """Name of the converted file in messages."""
    format: str
    """Name of the tool whose format it is."""
    settings: dict[str, Any]
    """Keys of the stack file's `config` besides the cluster."""
    cluster: dict[str, Any]
    """Value of `hpc:cluster`: plain values in the order in which they are written."""
    notes: tuple[Note, ...]
    """One note for each key, in the order of the file."""


def of_outcome(notes: Iterable[Note], outcome: Outcome) -> list[Note]:
    """Return the notes with this outcome."""
    return [note for note in notes if note.outcome is outcome]
