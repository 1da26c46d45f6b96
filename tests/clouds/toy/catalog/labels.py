"""What the toy cloud allows of labels: small letters, digits, `_` and `-`, at most 63 of them."""

import re

_LONGEST = 63


def label_key(key: str) -> str:
    """A tag's key as a label has it: `ClusterName` becomes `cluster_name`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    return re.sub(r"[^a-z0-9_-]", "_", words.lower())[:_LONGEST]


def label_value(value: str) -> str:
    """A tag's value as a label has it."""
    return re.sub(r"[^a-z0-9_-]", "-", value.lower())[:_LONGEST]
