"""What a cloud refuses in inputs and its SDK does not tell: values of properties, formats, and what goes together."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from hpc_components.preview.inputs.formats import FORMATS, Format
from hpc_components.preview.inputs.input_fault import PropertyFault

if TYPE_CHECKING:
    from hpc_components.preview.recording import RecordedResource, Recording

__all__ = ["NO_FACTS", "Check", "CheckBetween", "InputFacts", "Rule"]

Rule = Mapping[str, Any]
"""What holds for the value of one property. One or more of these keys:

- `values`: all that are allowed
- `range`: the least and the greatest number
- `pattern`: a regular expression for the whole text, with an `example`
- `format`: a name among the formats
- `max_decoded_bytes`: the greatest length of a base64 text once decoded
"""

Check = Callable[[Mapping[str, Any]], Iterable[PropertyFault]]
"""Compares the inputs of one resource with one another."""

CheckBetween = Callable[["RecordedResource", "Recording"], Iterable[PropertyFault]]
"""Compares the inputs of one resource with the resources that it needs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InputFacts:
    """The facts of one provider's package. Paths and names are those on the wire (`networkInterfaces[].subnetId`)."""

    properties: Mapping[str, Mapping[str, Rule]] = field(default_factory=dict)
    """Type token -> path of a property, `[]` for any index -> rule. The SDK's own lists don't count there."""
    names: Mapping[str, Rule] = field(default_factory=dict)
    """Name of a property, in whatever resource -> rule."""
    endings: Mapping[str, Rule] = field(default_factory=dict)
    """End of a property's name, in whatever resource -> rule."""
    formats: Mapping[str, Format] = field(default_factory=lambda: FORMATS)
    relations: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    """Type token -> checks between the inputs of a resource."""
    between: Mapping[str, tuple[CheckBetween, ...]] = field(default_factory=dict)
    """Type token -> checks of a resource beside others of the program."""
    everywhere: tuple[Check, ...] = ()
    """Checks of all resources, of their tags for one."""
    has_whole_enums: bool = True
    """Whether the enumerations of the SDK are complete. If not, any text may stand where one is declared."""
    dated_enums: frozenset[str] = frozenset()
    """Names of properties whose enumeration in the SDK is out of date, though the others are complete."""

    @cache  # noqa: B019 - there is one of a cloud
    def rule(self, type: str, path: str) -> Rule | None:
        """The rule of a property: its own, or that of its name."""
        own = self.properties.get(type, {}).get(path)
        if own is not None:
            return own
        name = path.rpartition(".")[2]
        ending = next((rule for end, rule in self.endings.items() if name.endswith(end)), None)
        return ending or self.names.get(name)


NO_FACTS = InputFacts()
"""Of a provider of which nothing is known but its SDK."""
