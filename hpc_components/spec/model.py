"""The base class of all models of a cluster: frozen, without unknown keys."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Strict

Int = Annotated[int, Strict()]
"""A whole number; a numeric string is refused."""

Flag = Annotated[bool, Strict()]
"""`true` or `false`; a word or number is refused."""

Number = Annotated[float, Strict()]
"""A number; a numeric string is refused."""


def _no_number(value: Any) -> Any:
    """Refuse a number, which ipaddress would read as an address: 10 as 0.0.0.10."""
    if isinstance(value, int):
        raise ValueError("a number is not an address")
    return value


Address = Annotated[IPv4Address, BeforeValidator(_no_number)]
"""An IPv4 address."""

AddressRange = Annotated[IPv4Network, BeforeValidator(_no_number)]
"""A range of IPv4 addresses; without a mask, one address."""


class Model(BaseModel):
    """A frozen value that refuses unknown keys.

    The docstring under a field explains it; `hpc_components.spec.schema` copies it into the JSON schema.
    (pydantic's own `use_attribute_docstrings` reads every source file at import, which costs more than the models.)
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    renamed: ClassVar[Mapping[str, str]] = {}
    """Current names of keys that earlier releases called otherwise."""

    def given(self, field: str) -> bool:
        """Return whether the user wrote `field`, rather than leaving it at its default."""
        return field in self.model_fields_set
