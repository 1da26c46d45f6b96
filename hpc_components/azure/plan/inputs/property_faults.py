"""Findings on inputs of a single resource."""

from typing import Any

from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.spec.input_rules import FaultKind


def property_fault(
    path: str, value: Any, reason: str, remedy: str, kind: FaultKind = FaultKind.CONFLICTING
) -> PropertyFault:
    """Return a finding on the value at a path of wire names."""
    return PropertyFault(kind=kind, path=path, value=value, reason=reason, remedy=remedy)
