"""Refusals: what a cloud does not sell, as data that callers put into words.

Functions of a cloud's catalogue decide in one place what is sold, and yield refusals. Rules, arguments of components
and checks of recorded inputs call them, and each words a refusal with its own keys. A product with a folder of its
own words them once: see `hpc_components.catalog.offer`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    """Why a value is refused."""

    MISSING = "missing"
    """The field must be given."""
    UNKNOWN = "unknown"
    """No such value exists."""
    NOT_SOLD = "not_sold"
    """The field does not accept this value."""
    NOT_TAKEN = "not_taken"
    """The field can't be given with the rest of the order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One reason why the cloud would not accept an order."""

    field: str
    """The field of the order."""
    why: Why
    allowed: Sequence[int] | Sequence[str] = ()
    """Accepted values: all of them, those nearest to the refused one (ascending), or a `range`. Empty if none."""
    because_of: str | None = None
    """The other field of the order that excludes the value; None if the value is refused in any order."""
