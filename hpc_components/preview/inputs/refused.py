"""Checks recorded inputs against a product's offer, i.e. what the cloud sells."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.catalog.offer import Refusal
from hpc_components.preview.inputs.input_facts import Rule
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.nested import is_open, value_at
from hpc_components.spec.findings import Level, dotted
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Keys, Surface, problem_of


def judged_by_offer(keys: Keys) -> dict[str, Rule]:
    """Return an empty rule for each input in `keys`.

    An empty rule disables the checks against the SDK documentation's ranges and values, so that only the offer
    decides.
    """
    return {re.sub(r"\[\d+\]", "[]", dotted(key.path)): {} for key in keys.values() if key}


def refused_inputs(inputs: Mapping[str, Any], refusals: Iterable[Refusal], keys: Keys) -> Iterator[PropertyFault]:
    """Yield a fault for each refusal of level ERROR that concerns an input whose value is known.

    `keys` maps order fields to their wire names.
    """
    found = {field: value_at(inputs, key.path) for field, key in keys.items() if key}
    known = {field: value for field, value in found.items() if value is not None and not is_open(value)}
    surface = Surface(keys=keys, values=known)
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


def _kind(refusal: Refusal, value: Any) -> FaultKind:
    if refusal.conflicts_with:
        return FaultKind.CONFLICTING
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return FaultKind.OUT_OF_RANGE if is_number else FaultKind.NOT_ALLOWED
