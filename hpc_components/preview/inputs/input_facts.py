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
"""Constraints on a property's value, with at least one of these keys:

- `values`: all allowed values
- `range`: the minimum and maximum
- `pattern`: a regular expression that must match the whole text, along with an `example`
- `format`: the name of a format
- `max_decoded_bytes`: the maximum length of a base64 text after decoding
"""

Check = Callable[[Mapping[str, Any]], Iterable[PropertyFault]]
"""Returns the faults found by comparing a resource's inputs with one another."""

CheckBetween = Callable[["RecordedResource", "Recording"], Iterable[PropertyFault]]
"""Returns the faults found by comparing a resource's inputs with the other resources in the recording."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InputFacts:
    """Facts about resource inputs in a provider package. Paths and names are wire names, e.g.
    `networkInterfaces[].subnetId`.
    """

    properties: Mapping[str, Mapping[str, Rule]] = field(default_factory=dict)
    """Maps each type token to rules that are keyed by property path, with `[]` in place of any index. A rule here
    replaces the limits in the SDK's documentation of the property."""
    names: Mapping[str, Rule] = field(default_factory=dict)
    """Maps property names to rules that apply to all resource types."""
    endings: Mapping[str, Rule] = field(default_factory=dict)
    """Maps suffixes of property names to rules that apply to all resource types."""
    formats: Mapping[str, Format] = field(default_factory=lambda: FORMATS)
    relations: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    """Maps each type token to checks that compare a resource's inputs with one another."""
    between: Mapping[str, tuple[CheckBetween, ...]] = field(default_factory=dict)
    """Maps each type token to checks that compare a resource with the program's other resources."""
    everywhere: tuple[Check, ...] = ()
    """Checks that apply to all resources, e.g. to their tags."""
    has_whole_enums: bool = True
    """Whether the SDK's enumerations are complete. If not, properties with an enumeration accept any text."""
    dated_enums: frozenset[str] = frozenset()
    """Names of properties whose enumerations in the SDK are out of date. Needed only if the SDK's other enumerations
    are complete."""

    def joined(self, *products: "InputFacts") -> "InputFacts":
        """Combine these facts with those of `products`. Raise ValueError if more than one of these sources has a rule
        for the same property.
        """
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

    @cache  # noqa: B019 - there is one instance per cloud
    def rule(self, type: str, path: str) -> Rule | None:
        """Return the rule for a property's path or, if there isn't one, for its name."""
        own = self.properties.get(type, {}).get(path)
        if own is not None:
            return own
        name = path.rpartition(".")[2]
        ending = next((rule for end, rule in self.endings.items() if name.endswith(end)), None)
        return ending or self.names.get(name)


def _united(tables: Iterable[Mapping[str, Rule]]) -> dict[str, Rule]:
    """Merge tables of rules. Raise ValueError if two tables contain the same name."""
    united: dict[str, Rule] = {}
    for table in tables:
        if twice := united.keys() & table.keys():
            raise ValueError(f"two products have a rule for {', '.join(sorted(twice))}; keep only one of the rules")
        united |= table
    return united


def _chained(tables: Iterable[Mapping[str, tuple[_T, ...]]]) -> dict[str, tuple[_T, ...]]:
    """Merge tables of checks. If a type is in several tables, its checks are in the order of the tables."""
    chained: dict[str, tuple[_T, ...]] = {}
    for table in tables:
        for type, checks in table.items():
            chained[type] = (*chained.get(type, ()), *checks)
    return chained


def rules_of_records(
    records: Iterable[Rule], offered: Mapping[str, Mapping[str, Rule]] | None = None
) -> dict[str, dict[str, Rule]]:
    """Add a rule for each record to `offered`, and return the result in the form of `InputFacts.properties`.

    Each record is a rule that also has the keys `type` and `path`.
    """
    rules = {type: dict(paths) for type, paths in (offered or {}).items()}
    for record in records:
        rules.setdefault(record["type"], {})[record["path"]] = record
    return rules


NO_FACTS = InputFacts()
