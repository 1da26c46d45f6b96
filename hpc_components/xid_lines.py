"""Reads the error messages of NVIDIA's driver (Xids) in a kernel's log.

The module travels to nodes with the programs that read these messages, so it imports nothing outside the standard
library.
"""

import re

_LINE = re.compile(
    r"NVRM: Xid \(PCI:([0-9A-Fa-f]+:[0-9A-Fa-f]+:[0-9A-Fa-f.]+)(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): (\d+),"
)
"""A message names the GPU and, if it is partitioned, the GPU instance and the compute instance.

Source: NVIDIA open-gpu-kernel-modules, src/nvidia/src/kernel/gpu/rc/kernel_rc.c.
"""


def xids_in(log: str) -> list[tuple[str, int]]:
    """Return the messages of a log, each as the GPU's address on the bus and the code, in the order of the log."""
    return [(address, int(code)) for address, code in _LINE.findall(log)]
