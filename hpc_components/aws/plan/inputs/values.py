"""Recorded inputs as values to compare."""

from collections.abc import Mapping
from typing import Any


def number(inputs: Mapping[str, Any], name: str) -> float | None:
    """An input as a number, a whole one as int; None where it is missing, not known yet or no number."""
    value = inputs.get(name)
    try:
        found = None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None
    return int(found) if found is not None and found.is_integer() else found
