"""The explanation of a wrong id in a description, in the cloud's own terms."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a string is not an id of the expected kind, and what to write."""

    reason: str
    remedy: str
    may_be_secret: bool = False
    """Whether the string may be a secret itself; messages then don't quote it."""
