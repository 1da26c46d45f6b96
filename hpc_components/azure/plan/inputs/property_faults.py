"""Findings on the inputs of a single resource."""

from typing import Any

from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.spec.input_rules import FaultKind


def property_fault(
    path: str, value: Any, reason: str, remedy: str, kind: FaultKind = FaultKind.CONFLICTING
) -> PropertyFault:
    """Return a finding on the value at `path`, which uses the names of Azure's API."""
    return PropertyFault(kind=kind, path=path, value=value, reason=reason, remedy=remedy)
