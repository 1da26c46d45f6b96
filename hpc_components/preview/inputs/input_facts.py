"""A cloud's facts about inputs that its SDK lacks: allowed values, formats, and conflicts between inputs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from hpc_components.preview.inputs.formats import FORMATS, Format
from hpc_components.preview.inputs.input_fault import PropertyFault

if TYPE_CHECKING:
    from hpc_components.preview.recording import RecordedResource, Recording

_T = TypeVar("_T")

Rule = Mapping[str, Any]
"""Constraints on the value of one property. One or more of these keys:

- `values`: all allowed values
- `range`: minimum and maximum
- `pattern`: a regular expression for the whole text, with an `example`
- `format`: the name of a format
- `max_decoded_bytes`: maximum length of a base64 text after decoding
"""

Check = Callable[[Mapping[str, Any]], Iterable[PropertyFault]]
"""Function that compares the inputs of one resource with one another."""

CheckBetween = Callable[["RecordedResource", "Recording"], Iterable[PropertyFault]]
"""Function that compares the inputs of a resource with the resources that it needs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InputFacts:
    """The facts about one provider's package. Paths and names are wire names (`networkInterfaces[].subnetId`)."""

    properties: Mapping[str, Mapping[str, Rule]] = field(default_factory=dict)
    """Type token -> path of a property, `[]` for any index -> rule. It replaces the lists in the SDK's
    documentation.
    """
    names: Mapping[str, Rule] = field(default_factory=dict)
    """Name of a property, in any resource -> rule."""
    endings: Mapping[str, Rule] = field(default_factory=dict)
    """Suffix of a property's name, in any resource -> rule."""
    formats: Mapping[str, Format] = field(default_factory=lambda: FORMATS)
    relations: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    """Type token -> checks between the inputs of a resource."""
    between: Mapping[str, tuple[CheckBetween, ...]] = field(default_factory=dict)
    """Type token -> checks of a resource against others of the program."""
    everywhere: tuple[Check, ...] = ()
    """Checks that apply to all resources, for example of their tags."""
    has_whole_enums: bool = True
    """Whether the SDK's enumerations are complete. If not, a property with an enumeration accepts any text."""
    dated_enums: frozenset[str] = frozenset()
    """Names of properties whose enumeration in the SDK is out of date, although the others are complete."""

    def joined(self, *products: "InputFacts") -> "InputFacts":
        """Return these facts with those of products. ValueError if two have a rule for one property."""
        every = (self, *products)
        types = {type: None for each in every for type in each.properties}
        return replace(
            self,
            properties={type: _united(each.properties.get(type, {}) for each in every) for type in types},
            names=_united(each.names for each in every),
            endings=_united(each.endings for each in every),
            relations=_chained(each.relations for each in every),
            between=_chained(each.between for each in every),
            everywhere=tuple(check for each in every for check in each.everywhere),
        )

    @cache  # noqa: B019 - one instance for each cloud
    def rule(self, type: str, path: str) -> Rule | None:
        """Return the rule of a property by its path, else by its name."""
        own = self.properties.get(type, {}).get(path)
        if own is not None:
            return own
        name = path.rpartition(".")[2]
        ending = next((rule for end, rule in self.endings.items() if name.endswith(end)), None)
        return ending or self.names.get(name)


def _united(tables: Iterable[Mapping[str, Rule]]) -> dict[str, Rule]:
    """Return one table of all rules. ValueError for a name in two of them."""
    united: dict[str, Rule] = {}
    for table in tables:
        if twice := united.keys() & table.keys():
            raise ValueError(f"two products have a rule for {', '.join(sorted(twice))}; leave it to one of them")
        united |= table
    return united


def _chained(tables: Iterable[Mapping[str, tuple[_T, ...]]]) -> dict[str, tuple[_T, ...]]:
    """Return one table with the checks of all tables, in their order."""
    chained: dict[str, tuple[_T, ...]] = {}
    for table in tables:
        for type, checks in table.items():
            chained[type] = (*chained.get(type, ()), *checks)
    return chained


NO_FACTS = InputFacts()
"""Facts about an unknown provider: none."""
