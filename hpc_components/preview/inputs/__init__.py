"""Offline checks of the inputs of recorded resources: names, types, documented values, formats.

A provider skips a nested block as soon as one value in it is unknown, and leaves some values for the cloud to refuse.
These checks cover the rest of the block, and each cloud adds what its SDK does not document.
"""

from typing import TYPE_CHECKING, Any

from hpc_components.preview.inputs.input_fault import InputFault

if TYPE_CHECKING:
    from hpc_components.preview.inputs.check import check_inputs

__all__ = ["InputFault", "check_inputs"]


def __getattr__(name: str) -> Any:
    """Import the checks when they are asked for: they know the SDKs, and reading a plan needs none."""
    if name != "check_inputs":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hpc_components.preview.inputs.check import check_inputs

    return check_inputs
