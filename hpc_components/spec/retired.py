"""Ids of removed rules. None is used again, and a description may still silence it."""

__all__ = ["RETIRED"]

RETIRED: dict[str, str] = {}
"""Why the rule was removed, by id."""
