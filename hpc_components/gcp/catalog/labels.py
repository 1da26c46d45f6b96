"""Labels of Google Cloud. Source: Resource Manager documentation, "Requirements for labels"."""

import re

from hpc_components.gcp.catalog.limits import reserved_label_beginning

LONGEST = 63
"""Characters of a key or a value."""
MOST = 64
"""Labels of one resource."""


def label_key(key: str) -> str:
    """The key of the label for a tag: `hpc:role` is `hpc_role`, `ClusterName` is `clustername`."""
    return _plain(key)


def label_value(value: str) -> str:
    """The value of the label for that of a tag."""
    return _plain(value)


def wrong_label_key(key: str) -> tuple[str, str] | None:
    """Reason and remedy where no label can have that key."""
    if not re.fullmatch(r"[^\W\dA-Z_][\w-]*", key) or key != key.lower():
        return (
            "a label's key begins with a small letter, and has small letters, digits, _ and -",
            f"use {_plain(key)}",
        )
    if len(key) > LONGEST:
        return f"a label's key has at most {LONGEST} characters, and this one {len(key)}", "use a shorter one"
    if kept := reserved_label_beginning(key):
        return f"Google keeps keys that begin with {kept!r} for itself", "use another key"
    return None


def wrong_label_value(value: str) -> tuple[str, str] | None:
    """Reason and remedy where no label can have that value, which may be empty."""
    if len(value) > LONGEST:
        return f"a label's value has at most {LONGEST} characters, and this one {len(value)}", "use a shorter one"
    if not re.fullmatch(r"[\w-]*", value) or value != value.lower():
        return "a label's value has small letters, digits, _ and - only", f"use {_plain(value)}"
    return None


def _plain(text: str) -> str:
    return re.sub(r"[^\w-]", "_", text.lower())[:LONGEST]
