"""Checks recorded inputs against a product's offer, i.e. against what the cloud sells."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hpc_components.catalog.offer import Refusal
from hpc_components.preview.inputs.input_facts import Rule
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.nested import is_open
from hpc_components.spec.findings import Level, Path, dotted
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Keys, Surface, problem_of


def judged_by_offer(keys: Keys) -> dict[str, Rule]:
    """Return an empty rule for each input in `keys`.

    An empty rule disables the checks against the SDK documentation's ranges and values, so that only the offer
    decides.
    """
    return {re.sub(r"\[\d+\]", "[]", dotted(key.path)): {} for key in keys.values() if key}


def refused_inputs(inputs: Mapping[str, Any], refusals: Iterable[Refusal], keys: Keys) -> Iterator[PropertyFault]:
    """Yield the refusals as faults, if they concern inputs whose values are known.

    `keys` maps order fields to their wire names.
    """
    found = {field: _known(inputs, key.path) for field, key in keys.items() if key}
    surface = Surface(keys=keys, values={field: value for field, value in found.items() if value is not None})
    for refusal in refusals:
        if refusal.level is Level.ERROR and refusal.field in surface.values:
            problem = problem_of(refusal, surface)
            yield PropertyFault(
                kind=_kind(refusal, problem.value),
                path=dotted(problem.path),
                value=problem.value,
                reason=problem.reason,
                remedy=problem.remedy,
            )


def _known(node: Any, path: Path) -> Any:
    """Return the value at a path of names and indexes, or None if it is missing or unknown."""
    for part in path:
        if isinstance(node, Mapping):
            node = node.get(part)
        elif isinstance(node, Sequence) and not isinstance(node, str) and isinstance(part, int) and part < len(node):
            node = node[part]
        else:
            return None
    return None if is_open(node) else node


def _kind(refusal: Refusal, value: Any) -> FaultKind:
    if refusal.conflicts_with:
        return FaultKind.CONFLICTING
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return FaultKind.OUT_OF_RANGE if is_number else FaultKind.NOT_ALLOWED
