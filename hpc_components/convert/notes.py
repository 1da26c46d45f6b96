"""What became of a key of the file that is converted."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hpc_components.spec.findings import Path

__all__ = ["Conversion", "Note", "Outcome", "of_outcome"]


class Outcome(StrEnum):
    """What became of a key."""

    DECIDE = "decide"
    """Somebody must decide: the file does not say it, or nothing here is the same."""
    CORRECTED = "corrected"
    """It would not work as it is written, or is done in another way here."""
    DROPPED = "dropped"
    """It is left out."""
    TAKEN = "taken"
    """The description says the same."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """One key, and what became of it."""

    outcome: Outcome
    key: str
    """Dotted path in the converted file; in parentheses where no key of it says so."""
    line: int
    """From 1."""
    column: int
    """From 1."""
    value: Any = None
    """Its value, if it is plain."""
    made: str = ""
    """What the description has in its place, by path: `head_node.machine: c6i.xlarge`."""
    reason: str = ""
    """Why it is not simply taken; empty where there is nothing to say."""
    remedy: str = ""
    """What to do about it; empty where there is nothing to do."""
    place: Path = ()
    """Where below `hpc:cluster` a comment tells of the decision."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """A converted file."""

    source: str
    """The converted file, as messages show it."""
    format: str
    """What it is: the name of the tool."""
    settings: dict[str, Any]
    """The keys of the stack file's `config` beside the cluster."""
    cluster: dict[str, Any]
    """What stands under `hpc:cluster`, plain values in the order in which they are written."""
    notes: tuple[Note, ...]
    """What became of each key, in the order of the file."""


def of_outcome(notes: Iterable[Note], outcome: Outcome) -> list[Note]:
    """The notes with this outcome."""
    return [note for note in notes if note.outcome is outcome]
