"""Converts tags to Google Cloud labels, and validates labels.

Source: Resource Manager documentation, "Requirements for labels".
"""

import re

from hpc_components.gcp.catalog.limits import reserved_label_beginning

LONGEST = MAX_LENGTH = 63


def label_key(key: str) -> str:
    """Return the label key for a tag key, e.g. `hpc_role` for `hpc:role`, or `clustername` for `ClusterName`."""
    return _plain(key)


def label_value(value: str) -> str:
    return _plain(value)


def wrong_label_key(key: str) -> tuple[str, str] | None:
    if not re.fullmatch(r"[^\W\dA-Z_][\w-]*", key) or key != key.lower():
        return (
            "a label key must begin with a lower-case letter, and may contain only lower-case letters, "
            "digits, _ and -",
            f"use {_plain(key)}",
        )
    if len(key) > MAX_LENGTH:
        return (
            f"a label key can have at most {MAX_LENGTH} characters, but this key has {len(key)}",
            "use a shorter key",
        )
    if kept := reserved_label_beginning(key):
        return f"Google reserves label keys that begin with {kept!r}", "use another key"
    return None


def wrong_label_value(value: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if `value` is not a valid label value. An empty value is valid."""
    if len(value) > MAX_LENGTH:
        return (
            f"a label value can have at most {MAX_LENGTH} characters, but this value has {len(value)}",
            "use a shorter value",
        )
    if not re.fullmatch(r"[\w-]*", value) or value != value.lower():
        return "a label value may contain only lower-case letters, digits, _ and -", f"use {_plain(value)}"
    return None


def _plain(text: str) -> str:
    return re.sub(r"[^\w-]", "_", text.lower())[:MAX_LENGTH]
