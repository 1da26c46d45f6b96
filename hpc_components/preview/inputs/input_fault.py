from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hpc_components.spec.input_rules import FaultKind
from hpc_components.wording import closest_word


@dataclass(frozen=True, kw_only=True)
class InputFault:
    """An input that the provider or the cloud would refuse."""

    kind: FaultKind
    urn: str
    type: str
    name: str
    path: str
    """Path within the resource, in wire names, e.g. `networkInterfaces[0].interfaceType`."""
    value: Any
    """The refused value, in plain JSON types, or None if a required input is missing."""
    reason: str
    remedy: str

    def __str__(self) -> str:
        value = "" if self.value is None else f" = {self.value!r}"
        return f"{self.type.rpartition(':')[2]} {self.name!r}: {self.path}{value}: {self.reason}; {self.remedy}"


@dataclass(frozen=True, kw_only=True)
class PropertyFault:
    """An `InputFault` without the resource, which is added later."""

    kind: FaultKind
    path: str
    value: Any
    reason: str
    remedy: str


def property_fault(
    path: str, value: Any, reason: str, remedy: str, kind: FaultKind = FaultKind.CONFLICTING
) -> PropertyFault:
    return PropertyFault(kind=kind, path=path, value=value, reason=reason, remedy=remedy)


def closest(word: str, words: Iterable[str]) -> str:
    words = list(words)
    near = closest_word(word, words)
    if near:
        return f"did you mean `{near}`?"
    return f"write one of {', '.join(f'`{each}`' for each in words)}"
