from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from hpc_components.cloud import CLOUDS
from hpc_components.spec.parsing import model_of
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.spec.schema_walk import field_docs


def json_schema() -> dict[str, Any]:
    """Return a schema (draft 2020-12) for `Pulumi.<stack>.yaml`, with the fields' docstrings as descriptions."""
    clusters: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model_of(cloud), "validation") for cloud in CLOUDS]
    references, schema = models_json_schema(clusters, schema_generator=_Documented)
    one_of = [references[cluster] for cluster in clusters]
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
        "$defs": schema["$defs"],
    }


class _Documented(GenerateJsonSchema):
    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        found = super().model_schema(schema)
        docs = field_docs(schema["cls"])
        for field, described in found.get("properties", {}).items():
            described["description"] = docs.get(field, "")
        return found
