"""Recorded inputs as the order that they are, and what the cloud refuses in it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.catalog.offer import Refusal
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.nested import value_at
from hpc_components.spec.findings import Level, dotted
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Key, Surface, problem_of


def refused_inputs(
    inputs: Mapping[str, Any], refusals: Iterable[Refusal], keys: Mapping[str, Key]
) -> Iterator[PropertyFault]:
    """Yield the errors in fields that are among the inputs and known; `keys` has their wire names."""
    found = {field: value_at(inputs, dotted(key.path)) for field, key in keys.items()}
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


def _kind(refusal: Refusal, value: Any) -> FaultKind:
    if refusal.because_of:
        return FaultKind.CONFLICTING
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return FaultKind.OUT_OF_RANGE if is_number else FaultKind.NOT_ALLOWED
