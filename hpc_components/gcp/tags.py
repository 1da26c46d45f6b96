"""Encodes tags as Google Cloud labels, which can't contain capital letters or colons."""

from collections.abc import Mapping
from dataclasses import dataclass

from pulumi import Input, Output

from hpc_components.gcp.catalog.labels import label_key, label_value
from hpc_components.ports import Tags as PlainTags


@dataclass(frozen=True)
class Tags(PlainTags):
    """Tags that are encoded as labels: `hpc:role` becomes `hpc_role`, and `ClusterName` becomes `clustername`."""

    @staticmethod
    def encode(tags: Mapping[str, Input[str]]) -> dict[str, Input[str]]:
        """Encode plain tags as labels."""
        return {label_key(key): _encoded(value) for key, value in tags.items()}


def _encoded(value: Input[str]) -> Input[str]:
    if isinstance(value, str):
        return label_value(value)
    text: Output[str] = Output.from_input(value)
    return text.apply(label_value)
