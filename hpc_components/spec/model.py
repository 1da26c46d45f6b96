"""The base of every model of a cluster: frozen, and nothing unknown passes."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Model"]


class Model(BaseModel):
    """A frozen value that refuses keys it does not know.

    What a field means stands in the docstring under it; `hpc_components.spec.schema` puts these into the JSON schema.
    (pydantic's own `use_attribute_docstrings` reads every source file at import, which costs more than the models.)
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    def given(self, field: str) -> bool:
        """Whether the user wrote `field`, as opposed to its default."""
        return field in self.model_fields_set
