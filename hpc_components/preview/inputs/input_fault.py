"""A fault in one input of one resource."""

from dataclasses import dataclass
from typing import Any

from hpc_components.spec.input_rules import FaultKind

__all__ = ["InputFault", "PropertyFault"]


@dataclass(frozen=True, kw_only=True)
class InputFault:
    """An input that the provider or the cloud would refuse."""

    kind: FaultKind
    urn: str
    type: str
    name: str
    path: str
    """Below the resource, in wire names: `networkInterfaces[0].interfaceType`."""
    value: Any
    """The offending value, plain JSON; None where something is missing."""
    reason: str
    remedy: str

    def __str__(self) -> str:
        value = "" if self.value is None else f" = {self.value!r}"
        return f"{self.type.rpartition(':')[2]} {self.name!r}: {self.path}{value}: {self.reason}; {self.remedy}"


@dataclass(frozen=True, kw_only=True)
class PropertyFault:
    """A fault without its resource."""

    kind: FaultKind
    path: str
    value: Any
    reason: str
    remedy: str
