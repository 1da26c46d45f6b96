"""Checks the inputs of recorded resources without a cloud: names, types, documented values, formats.

The provider itself skips a whole nested block as soon as one value in it is unknown, and some values nobody looks at
before the cloud does. Here the rest of the block is judged, and a table adds what no SDK documents.
"""

from hpc_components.preview.inputs.check import check_inputs
from hpc_components.preview.inputs.fault import InputFault

__all__ = ["InputFault", "check_inputs"]
