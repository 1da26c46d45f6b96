"""Converts tags to Google Cloud labels, and checks labels.

Source: Resource Manager documentation, "Requirements for labels".
"""

import re

from hpc_components.gcp.catalog.limits import reserved_label_beginning

LONGEST = MAX_LENGTH = 63
"""Maximum length of a key or value in characters."""


def label_key(key: str) -> str:
    """Return the label key for a tag's key, e.g. `hpc_role` for `hpc:role`, or `clustername` for `ClusterName`."""
    return _plain(key)


def label_value(value: str) -> str:
    """Return the label value for a tag's value."""
    return _plain(value)


def wrong_label_key(key: str) -> tuple[str, str] | None:
    """Return the reason and remedy if a label can't have this key, or None if it can."""
    if not re.fullmatch(r"[^\W\dA-Z_][\w-]*", key) or key != key.lower():
        return (
            "a label's key begins with a lower-case letter, and has only lower-case letters, digits, _ and -",
            f"use {_plain(key)}",
        )
    if len(key) > MAX_LENGTH:
        return f"a label's key has at most {MAX_LENGTH} characters, and this one has {len(key)}", "use a shorter one"
    if kept := reserved_label_beginning(key):
        return f"Google reserves keys that begin with {kept!r}", "use another key"
    return None


def wrong_label_value(value: str) -> tuple[str, str] | None:
    """Return the reason and remedy if a label can't have this value, or None if it can. An empty value is allowed."""
    if len(value) > MAX_LENGTH:
        return (
            f"a label's value has at most {MAX_LENGTH} characters, and this one has {len(value)}",
            "use a shorter one",
        )
    if not re.fullmatch(r"[\w-]*", value) or value != value.lower():
        return "a label's value has only lower-case letters, digits, _ and -", f"use {_plain(value)}"
    return None


def _plain(text: str) -> str:
    return re.sub(r"[^\w-]", "_", text.lower())[:MAX_LENGTH]
