from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Strict

Int = Annotated[int, Strict()]
"""A whole number. Numeric strings are refused."""

Flag = Annotated[bool, Strict()]
"""`true` or `false`. Words and numbers are refused."""

Number = Annotated[float, Strict()]
"""A number. Numeric strings are refused."""


def _no_number(value: Any) -> Any:
    """Refuse numbers, which `ipaddress` would convert to addresses: 10 would become 0.0.0.10."""
    if isinstance(value, int):
        raise ValueError("a number is not an address")
    return value


Address = Annotated[IPv4Address, BeforeValidator(_no_number)]

AddressRange = Annotated[IPv4Network, BeforeValidator(_no_number)]
"""A range of IPv4 addresses. A value without a mask is a single address."""


class Model(BaseModel):
    """An immutable model that refuses unknown keys.

    `hpc_components.spec.schema` copies the docstring of each field into the JSON schema. (pydantic's own
    `use_attribute_docstrings` would read every source file on import, which takes longer than creating the models.)
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    renamed: ClassVar[Mapping[str, str]] = {}
    """Maps key names from earlier releases to their current names."""

    def given(self, field: str) -> bool:
        """Return whether the user set `field` rather than leaving it at its default."""
        return field in self.model_fields_set
