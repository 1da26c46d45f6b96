"""Lines of kernels' logs, and what is read from them."""

import pytest

from hpc_components.xid_lines import xids_in

GPU = "0000:3b:00"

LINES = {
    f"NVRM: Xid (PCI:{GPU}): 79, pid=1234, name=python3, GPU has fallen off the bus.": [(GPU, 79)],
    f"NVRM: Xid (PCI:{GPU}): 79, GPU has fallen off the bus.": [(GPU, 79)],
    f"NVRM: Xid (PCI:{GPU}): 119, pid='<unknown>', name=<unknown>, Timeout after 6s of waiting": [(GPU, 119)],
    f"NVRM: Xid (PCI:{GPU} GPU-I:05): 95, pid=1, name=a, Uncontained: LTC TAG": [(GPU, 95)],
    f"NVRM: Xid (PCI:{GPU} GPU-I:05 GPU-CI:00): 43, pid=1, name=a, Ch 00000008": [(GPU, 43)],
    f"3,1000,5,-;NVRM: Xid (PCI:{GPU}): 48, pid=1, name=a, x\nNVRM: Xid (PCI:{GPU}): 63, row": [(GPU, 48), (GPU, 63)],
    f"NVRM: GPU {GPU}.0: GPU has fallen off the bus.": [],
    "NVRM: Xid (PCI:none): 79, x": [],
    f"a user wrote Xid (PCI:{GPU}): 79, x": [],
}


@pytest.mark.parametrize("line", LINES)
def test_address_and_code_of_each_message_are_read(line: str) -> None:
    assert xids_in(line) == LINES[line]
