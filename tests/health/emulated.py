"""Machines that exist as files below a directory, with tools that accept documented arguments only."""

import json
import os
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hpc_components.health.files import WANTED, health_files
from hpc_components.health.node.wanted import Wanted, read_wanted
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.load import load_cluster
from hpc_components.spec.project import find_project

QUEUE = "gpu"
SCRATCH = "/mnt/local"
SHARED = ("/home", "/fsx")

TOOLS = {
    "nvidia-smi": """
case "$*" in
  "--query-gpu=ecc.errors.uncorrected.volatile.total --format=csv,noheader,nounits") cat "$HERE/smi.counts" ;;
  "--query-remapped-rows=remapped_rows.failure --format=csv,noheader,nounits") cat "$HERE/smi.rows" ;;
  *) exit 2 ;;
esac
""",
    "dcgmi": """
case "$*" in
  "health -s a") ;;
  "diag -r 1 -j") cat "$HERE/dcgm.diag" ;;
  "health -c -j") cat "$HERE/dcgm.health" ;;
  *) exit 1 ;;
esac
""",
    "nvme": """
[ "$1 $3 $4" = "smart-log -o json" ] || exit 22
printf '{"critical_warning": %s, "temperature": 310}\\n' "$(cat "$HERE/nvme.${2##*/}")"
""",
    "chronyc": '[ "$*" = "-n -c tracking" ] || exit 1\ncat "$HERE/chrony"\n',
}
"""Bodies of the tools by name. Sources: nvidia-smi(1); dcgmi-diag and dcgmi-health of NVIDIA DCGM; nvme-smart-log(1);
chronyc(1)."""

DIAG_PASS: dict[str, Any] = {
    "DCGM Diagnostic": {"test_categories": [{"category": "Deployment", "tests": [
        {"name": "software", "results": [{"entity_id": 0, "status": "Pass"}], "test_summary": {"status": "Pass"}}
    ]}]}
}  # fmt: skip


@dataclass
class Emulated:
    """A machine with eight GPUs, eight InfiniBand ports, a local disk and two shared file systems. It is healthy."""

    root: Path
    gpus: int = 8
    log: list[str] = field(default_factory=list)

    def build(self) -> "Emulated":
        for number in range(self.gpus):
            (self.root / f"proc/driver/nvidia/gpus/0000:{number:02x}:00.0").mkdir(parents=True)
        self.tool_says("smi.counts", "0\n" * 8)
        self.tool_says("smi.rows", "0\n" * 8)
        self.tool_says("dcgm.diag", json.dumps(DIAG_PASS))
        self.tool_says("dcgm.health", json.dumps({"body": {"Overall Health": {"value": "Healthy"}}}))
        self.tool_says("nvme.nvme1", "0")
        self.tool_says("chrony", "A9FEA97B,169.254.169.123,4,1,0.000004,0,0,9,0,0,0,0,64.5,Normal\n")
        self.write("sys/class/nvme/nvme1/model", "disk")
        for port in range(8):
            self.port(f"mlx5_ib{port}")
        self.port("mlx5_an0", link_layer="Ethernet", rate="100 Gb/sec (4X EDR)")
        self.write("etc/hpc/health.json", file())
        self.write("proc/meminfo", f"MemTotal:       {1_914_687 << 10} kB\nMemFree: 1 kB\n")
        self.write("sys/devices/system/edac/mc/mc0/ue_count", "0\n")
        self.mounts({"/": "ext4", "/home": "nfs4", "/fsx": "lustre", SCRATCH: "ext4"})
        self.write("etc/fstab", "LABEL=root / ext4 defaults 0 1\n# hpc begin shared\n"
                   "fs:/ /home nfs4 rw 0 0\nfs@tcp:/x /fsx lustre rw 0 0\n# hpc end shared\n")  # fmt: skip
        for directory in SHARED:
            (self.root / directory[1:]).mkdir()
        self.kernel_says("Linux version 6.8")
        for name, body in TOOLS.items():
            self.write(f"bin/{name}", f'#!/bin/sh\nHERE="${{0%/*}}/../says"\n{body}', mode=0o755)
        return self

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def tool_says(self, name: str, text: str) -> None:
        self.write(f"says/{name}", text)

    def tool_does(self, name: str, body: str) -> None:
        self.write(f"bin/{name}", f"#!/bin/sh\n{body}\n", mode=0o755)

    def kernel_says(self, words: str) -> None:
        self.log.append(f"6,{len(self.log)},{len(self.log) * 1000},-;{words}\n")
        self.write("dev/kmsg", "".join(self.log))

    def port(self, device: str, *, state: str = "4: ACTIVE", rate: str = "400 Gb/sec (4X NDR)",
             link_layer: str = "InfiniBand", downs: int = 0) -> None:  # fmt: skip
        folder = f"sys/class/infiniband/{device}/ports/1"
        texts = {"state": state, "rate": rate, "link_layer": link_layer, "counters/link_downed": str(downs)}
        for name, text in texts.items():
            self.write(f"{folder}/{name}", f"{text}\n")

    def mounts(self, types: dict[str, str], read_only: str = "") -> None:
        lines = (
            f"{20 + number} 1 0:{number} / {directory} rw,relatime shared:1 - {type} dev "
            f"{'ro' if directory == read_only else 'rw'}\n"
            for number, (directory, type) in enumerate(types.items())
        )
        self.write("proc/self/mountinfo", "".join(lines))

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"PATH": f"{self.root}/bin:{os.environ['PATH']}", "SLURMD_NODENAME": f"{QUEUE}-1"}


def described(**health: Any) -> ClusterSpec:
    """Return the GPU cluster of the project's stacks, with all checks switched on."""
    data = find_project(Path(__file__).parent).open("azure-nd").cluster.data
    return load_cluster(data | {"health": {"checks": {"dcgm": True}} | health})


@cache
def wanted() -> Wanted:
    """Return what a healthy `Emulated` has, with the limits of the package."""
    return read_wanted(file(), QUEUE)


@cache
def file() -> str:
    return health_files(described())[WANTED]
