from collections.abc import Mapping
from typing import Any


def number(inputs: Mapping[str, Any], name: str) -> float | None:
    """Return an input as a number (an int if it is whole), or None if it is missing, unknown or not a number."""
    value = inputs.get(name)
    try:
        found = None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None
    return int(found) if found is not None and found.is_integer() else found
