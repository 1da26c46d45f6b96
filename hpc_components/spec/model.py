"""The base of every model of a cluster: frozen, and nothing unknown passes."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Strict

__all__ = ["Flag", "Int", "Model"]

Int = Annotated[int, Strict()]
"""A whole number; text that looks like one is refused."""

Flag = Annotated[bool, Strict()]
"""`true` or `false`; a word or number is refused."""


class Model(BaseModel):
    """A frozen value that refuses keys it does not know.

    What a field means stands in the docstring under it; `hpc_components.spec.schema` puts these into the JSON schema.
    (pydantic's own `use_attribute_docstrings` reads every source file at import, which costs more than the models.)
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    def given(self, field: str) -> bool:
        """Whether the user wrote `field`, as opposed to its default."""
        return field in self.model_fields_set
