"""Creates faults in a resource's inputs."""

from typing import Any

from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.spec.input_rules import FaultKind


def property_fault(
    path: str, value: Any, reason: str, remedy: str, kind: FaultKind = FaultKind.CONFLICTING
) -> PropertyFault:
    """Return a fault in the value at a path, which is in the provider's spelling."""
    return PropertyFault(kind=kind, path=path, value=value, reason=reason, remedy=remedy)
