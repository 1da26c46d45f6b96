"""How a fault in the inputs of one resource is said."""

from typing import Any

from hpc_components.preview.inputs.fault import Complaint
from hpc_components.spec.input_rules import FaultKind

__all__ = ["complaint"]


def complaint(path: str, value: Any, reason: str, remedy: str, kind: FaultKind = FaultKind.CONFLICTING) -> Complaint:
    """What is wrong with the value at a path in wire names."""
    return Complaint(kind=kind, path=path, value=value, reason=reason, remedy=remedy)
