"""Checks recorded inputs without cloud access: their names, types, documented values and formats.

Providers skip nested blocks that contain unknown values and leave some checks to the cloud. This package covers both
cases. Each cloud's package adds facts that the cloud's SDK doesn't document.
"""

from typing import TYPE_CHECKING, Any

from hpc_components.preview.inputs.input_fault import InputFault

if TYPE_CHECKING:
    from hpc_components.preview.inputs.check import check_inputs

__all__ = ["InputFault", "check_inputs"]


def __getattr__(name: str) -> Any:
    """Import the checks only on first use, so that reading a plan doesn't import the SDKs."""
    if name != "check_inputs":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hpc_components.preview.inputs.check import check_inputs

    return check_inputs
