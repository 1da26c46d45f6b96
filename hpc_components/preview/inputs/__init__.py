"""Offline checks of the inputs of recorded resources: names, types, documented values, formats.

A provider skips a nested block as soon as one value in it is unknown, and leaves some values for the cloud to refuse.
These checks cover the rest of the block, and each cloud adds what its SDK does not document.
"""

from hpc_components.preview.inputs.check import check_inputs
from hpc_components.preview.inputs.input_fault import InputFault

__all__ = ["InputFault", "check_inputs"]
