"""The JSON schema of a stack file's cluster, for editors that complete YAML."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.model import Model
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.spec.shape import field_docs

__all__ = ["json_schema"]


def json_schema() -> dict[str, Any]:
    """A schema (draft 2020-12) for a whole `Pulumi.<stack>.yaml`, with each field's docstring as its description."""
    cluster = AwsClusterSpec.model_json_schema()
    models = {model.__name__: model for model in _all_models(Model)}
    definitions = cluster.pop("$defs", {})
    for name, definition in [*definitions.items(), ("AwsClusterSpec", cluster)]:
        docs = field_docs(models[name]) if name in models else {}
        for field, schema in definition.get("properties", {}).items():
            schema["description"] = docs.get(field, "")
    config = {
        "type": "object",
        "required": [CLUSTER_KEY],
        "properties": {CLUSTER_KEY: {"$ref": "#/$defs/AwsClusterSpec"}},
    }
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "A cluster, Pulumi.<stack>.yaml",
        "type": "object",
        "properties": {"config": config},
        "$defs": definitions | {"AwsClusterSpec": cluster},
    }


def _all_models(base: type[Model]) -> set[type[Model]]:
    return {base}.union(*(_all_models(model) for model in base.__subclasses__()))
