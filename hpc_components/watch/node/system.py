"""CPUs, mounts and Lustre of this node, from files of the kernel."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from hpc_components.textfile import Metric

_MODES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""Columns of /proc/stat. Source: proc(5)."""
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_LUSTRE = ("proc/fs/lustre/llite", "sys/kernel/debug/lustre/llite", "sys/fs/lustre/llite")
"""Directories of the client's counters, in older and newer releases. Source: Lustre operations manual, "Monitoring
Client Activity"."""
_LUSTRE_BYTES = re.compile(r"^(read|write)_bytes\s+\d+ samples \[bytes\] \d+ \d+ (\d+)", re.MULTILINE)


def system_metrics(root: Path) -> Iterator[Metric]:
    """Yield metrics of a system whose root directory is `root`."""
    yield from _cpus(root)
    yield from _mounts(root)
    yield _lustre(root)


def _cpus(root: Path) -> Iterator[Metric]:
    """Yield one series for each mode. node_exporter has one for each CPU and mode, which are 1,500 on 192 CPUs."""
    lines = (root / "proc/stat").read_text().splitlines()
    ticks = map(int, lines[0].split()[1:])
    seconds = tuple(({"mode": mode}, count / _TICKS_PER_SECOND) for mode, count in zip(_MODES, ticks, strict=False))
    yield Metric("hpc_cpu_seconds_total", "counter", "Time of all CPUs together, by mode.", seconds)
    count = sum(bool(re.match(r"cpu\d", line)) for line in lines)
    yield Metric("hpc_cpus", "gauge", "Number of CPUs.", (({}, count),))


def _mounts(root: Path) -> Iterator[Metric]:
    """Yield whether the cluster's file systems, which the steps of the boot wrote to fstab, are mounted."""
    mounted = {line.split()[1] for line in (root / "proc/mounts").read_text().splitlines()}
    samples = tuple(({"mount": mount}, float(mount in mounted)) for mount in _described(root / "etc/fstab"))
    yield Metric("hpc_mount_present", "gauge", "1 if the cluster's file system is mounted.", samples)


def _described(fstab: Path) -> Iterator[str]:
    ours = False
    for line in fstab.read_text().splitlines() if fstab.exists() else ():
        if line.startswith(("# hpc begin", "# hpc end")):
            ours = line.startswith("# hpc begin")
        elif ours and len(columns := line.split()) > 1 and columns[1].startswith("/"):
            yield columns[1]


def _lustre(root: Path) -> Metric:
    found = {
        (file.parent.name.partition("-")[0], way): int(count)
        for directory in _LUSTRE
        for file in sorted((root / directory).glob("*/stats"))
        for way, count in _LUSTRE_BYTES.findall(file.read_text())
    }
    samples = tuple(({"filesystem": name, "direction": way}, count) for (name, way), count in found.items())
    return Metric("hpc_lustre_bytes_total", "counter", "Bytes read from and written to Lustre.", samples)
