"""Labels: lower-case letters, digits, `_` and `-`, at most 63 of them."""

import re
from collections.abc import Mapping

from pulumi import Input, Output

from hpc_components.ports import Tags as PlainTags

__all__ = ["Tags", "label_key", "label_value"]

_LONGEST = 63


class Tags(PlainTags):
    """Tags as labels: `hpc:role` becomes `hpc_role`, `ClusterName` becomes `cluster_name`."""

    @staticmethod
    def encode(tags: Mapping[str, Input[str]]) -> dict[str, Input[str]]:
        """Labels from plain keys and values."""
        return {label_key(key): _encoded(value) for key, value in tags.items()}


def label_key(key: str) -> str:
    """A key as a label has it."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    return re.sub(r"[^a-z0-9_-]", "_", words.lower())[:_LONGEST]


def label_value(value: str) -> str:
    """A value as a label has it."""
    return re.sub(r"[^a-z0-9_-]", "-", value.lower())[:_LONGEST]


def _encoded(value: Input[str]) -> Input[str]:
    return label_value(value) if isinstance(value, str) else Output.from_input(value).apply(label_value)
