"""The JSON schema of a stack file's cluster, for editors that complete YAML."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from hpc_components.cloud import CLOUDS
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.form import model_of
from hpc_components.spec.model import Model
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.spec.shape import field_docs

__all__ = ["json_schema"]


def json_schema() -> dict[str, Any]:
    """A schema (draft 2020-12) for a whole `Pulumi.<stack>.yaml`, with each field's docstring as its description."""
    clusters = [model_of(cloud) for cloud in CLOUDS]
    definitions = {name: each for cluster in clusters for name, each in _definitions(cluster).items()}
    models = {model.__name__: model for model in _all_models(Model)}
    for name, definition in definitions.items():
        docs = field_docs(models[name]) if name in models else {}
        for field, schema in definition.get("properties", {}).items():
            schema["description"] = docs.get(field, "")
    one_of = [{"$ref": f"#/$defs/{cluster.__name__}"} for cluster in clusters]
    config = {
        "type": "object",
        "required": [CLUSTER_KEY],
        "properties": {CLUSTER_KEY: {"oneOf": one_of} if len(one_of) > 1 else one_of[0]},
    }
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "A cluster, Pulumi.<stack>.yaml",
        "type": "object",
        "properties": {"config": config},
        "$defs": definitions,
    }


def _definitions(cluster: type[ClusterSpec]) -> dict[str, Any]:
    """The schemas of a cloud's clusters and of all that they are made of, by the names of the models."""
    schema = cluster.model_json_schema()
    return schema.pop("$defs", {}) | {cluster.__name__: schema}


def _all_models(base: type[Model]) -> set[type[Model]]:
    return {base}.union(*(_all_models(model) for model in base.__subclasses__()))
