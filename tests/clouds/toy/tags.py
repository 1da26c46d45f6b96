"""How the toy cloud writes the tags of a cluster: as labels."""

from collections.abc import Mapping

from pulumi import Input, Output

from clouds.toy.catalog.labels import label_key, label_value
from hpc_components.ports import Tags as PlainTags


class Tags(PlainTags):
    """Tags as labels: `hpc:role` becomes `hpc_role`, `ClusterName` becomes `cluster_name`."""

    @staticmethod
    def encode(tags: Mapping[str, Input[str]]) -> dict[str, Input[str]]:
        """Labels from plain keys and values."""
        return {label_key(key): _encoded(value) for key, value in tags.items()}


def _encoded(value: Input[str]) -> Input[str]:
    return label_value(value) if isinstance(value, str) else Output.from_input(value).apply(label_value)
