"""What a cloud would refuse of an order, before anybody has put it into words.

A cloud's catalogue decides what is sold in one place, by functions that yield refusals. Rules of a description,
arguments of components and checks of recorded inputs call them, and each says it in the words of its own keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Refusal", "Why"]


class Why(StrEnum):
    """Why a value is refused."""

    MISSING = "missing"
    """The field must be given."""
    UNKNOWN = "unknown"
    """There is no such thing at all."""
    NOT_SOLD = "not_sold"
    """The field takes other values than this one."""
    NOT_TAKEN = "not_taken"
    """The field can't be given with the rest of the order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One thing that is wrong with an order."""

    field: str
    """The field of the order."""
    why: Why
    allowed: Sequence[int] | Sequence[str] = ()
    """What it takes instead: all values, those nearest to the one refused (ascending), or a `range`. Empty where it
    takes none."""
    because_of: str | None = None
    """The other field of the order that rules the value out; None where the value is never right."""
