"""Ids of rules that there are no more: none is given to another rule, and a description may go on silencing it."""

__all__ = ["RETIRED"]

RETIRED: dict[str, str] = {}
"""Why there is no such rule any more, by id."""
