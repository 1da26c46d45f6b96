"""Checks the names, types, documented values and formats of recorded resources' inputs, without access to a cloud.

Providers skip nested blocks that contain unknown values, and leave some checks to the cloud. These checks cover both
cases. Each cloud's package adds facts that the cloud's SDK doesn't document.
"""

from typing import TYPE_CHECKING, Any

from hpc_components.preview.inputs.input_fault import InputFault

if TYPE_CHECKING:
    from hpc_components.preview.inputs.check import check_inputs

__all__ = ["InputFault", "check_inputs"]


def __getattr__(name: str) -> Any:
    """Import the checks only when they are used, because they need the SDKs, while reading a plan doesn't."""
    if name != "check_inputs":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hpc_components.preview.inputs.check import check_inputs

    return check_inputs
