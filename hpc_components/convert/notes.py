from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hpc_components.spec.findings import Path


class Outcome(StrEnum):
    DECIDE = "decide"
    """The user must decide, because the file leaves a question open or the description has no equivalent."""
    CORRECTED = "corrected"
    """The key's value was changed, because it would not work or is written differently in a description."""
    DROPPED = "dropped"
    """The key was left out."""
    TAKEN = "taken"
    """The key was carried over, because the description has an equivalent."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """A key in the converted file, and what happened to it."""

    outcome: Outcome
    key: str
    """Dotted path in the converted file, in parentheses if the file doesn't contain the key."""
    line: int
    """Line number, starting at 1."""
    column: int
    """Column number, starting at 1."""
    value: Any = None
    """The key's value, or None if the value is a mapping or a list."""
    made: str = ""
    """Resulting key and value in the description, e.g. `head_node.machine: c6i.xlarge`."""
    reason: str = ""
    """Why the key was changed or left out; empty if there is nothing to explain."""
    remedy: str = ""
    """What the user can do; empty if nothing needs to be done."""
    place: Path = ()
    """Path under `hpc:cluster` at which the stack file has a comment about this decision."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    source: str
    """Name of the converted file, as shown in messages."""
    format: str
    """Name of the tool that the format belongs to."""
    settings: dict[str, Any]
    """Keys of the stack file's `config` other than `hpc:cluster`."""
    cluster: dict[str, Any]
    """Value of `hpc:cluster`, as plain values in the order in which to write them."""
    notes: tuple[Note, ...]
    """One note per key, in file order."""


def of_outcome(notes: Iterable[Note], outcome: Outcome) -> list[Note]:
    return [note for note in notes if note.outcome is outcome]
