"""Defines refusals: structured statements of what a cloud doesn't sell, which callers put into words.

The functions of a cloud's catalogue decide in a single place what is sold, and yield refusals. Rules, components and
checks of recorded inputs call these functions, and each caller words the refusals in terms of the keys that its users
see. If a product has its own folder, that folder words each refusal once for all callers, as described in
`hpc_components.catalog.offer`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    MISSING = "missing"
    """The field must be specified."""
    UNKNOWN = "unknown"
    """No such value exists."""
    NOT_SOLD = "not_sold"
    """The field does not accept this value."""
    NOT_TAKEN = "not_taken"
    """The field can't be combined with the rest of the order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    field: str
    why: Why
    allowed: Sequence[int] | Sequence[str] = ()
    """Accepted values, in ascending order: all of them, only those nearest to the refused value, or a `range`. Empty
    if no value is accepted."""
    because_of: str | None = None
    """Another order field that rules out the value, or None if the value is refused regardless of the other
    fields."""
