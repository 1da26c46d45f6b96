"""Labels of Google Cloud. Source: Resource Manager documentation, "Requirements for labels"."""

import re

__all__ = ["LONGEST", "MOST", "label_key", "label_value"]

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


def _plain(text: str) -> str:
    return re.sub(r"[^\w-]", "_", text.lower())[:LONGEST]
