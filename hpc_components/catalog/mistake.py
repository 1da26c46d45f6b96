from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a string is not an id of the expected kind, and what to write instead."""

    reason: str
    remedy: str
    may_be_secret: bool = False
    """Whether the string itself may be a secret. Messages must not quote secrets."""
