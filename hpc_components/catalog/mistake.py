"""What is wrong with an id in a description, in the words of its cloud."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a text is not an id of its kind, and what to write."""

    reason: str
    remedy: str
    may_be_secret: bool = False
    """Whether the text may be a secret itself; messages then don't quote it."""
