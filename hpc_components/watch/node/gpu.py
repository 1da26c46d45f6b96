"""NVIDIA's GPUs, by nvidia-smi and the kernel's log. DCGM's exporter is in no distribution; nvidia-smi comes with the
driver.

Source: `nvidia-smi --help-query-gpu`.
"""

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from hpc_components.textfile import Metric
from hpc_components.xid_lines import xids_in

TIMEOUT_SECONDS = 20
MIB = 2**20

_FIELDS = {
    "utilization.gpu": ("hpc_gpu_busy_ratio", "gauge", "Share of time in which a kernel ran on the GPU.", 0.01),
    "memory.used": ("hpc_gpu_memory_used_bytes", "gauge", "Memory in use.", MIB),
    "memory.total": ("hpc_gpu_memory_bytes", "gauge", "Memory.", MIB),
    "temperature.gpu": ("hpc_gpu_celsius", "gauge", "Temperature.", 1),
    "power.draw": ("hpc_gpu_watts", "gauge", "Power draw.", 1),
    "ecc.errors.uncorrected.volatile.total": (
        "hpc_gpu_uncorrected_errors_total", "counter", "Uncorrectable memory errors since the driver was loaded.", 1,
    ),
    "remapped_rows.failure": ("hpc_gpu_row_remap_failed", "gauge", "1 if a faulty memory row can't be replaced.", 1),
}  # fmt: skip
_TRUE = {"Yes": 1.0, "True": 1.0, "No": 0.0, "False": 0.0}

Run = Callable[[Sequence[str]], str]


def run(command: Sequence[str]) -> str:
    """Return a command's output, or an empty string if it fails, hangs or does not exist."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""


def gpu_metrics(run: Run = run) -> Iterator[Metric]:
    """Yield metrics of this node's GPUs; nothing without NVIDIA's driver."""
    query = ",".join(("index", "pci.bus_id", *_FIELDS))
    rows = [
        line.split(", ")
        for line in run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"]).splitlines()
    ]
    rows = [row for row in rows if len(row) == len(_FIELDS) + 2]
    for number, (name, kind, words, unit) in enumerate(_FIELDS.values(), start=2):
        values = ((row[0], _number(row[number])) for row in rows)
        samples = tuple(({"gpu": gpu}, value * unit) for gpu, value in values if value is not None)
        yield Metric(name, kind, words, samples)
    if rows:
        yield _xids({_short(row[1]): row[0] for row in rows}, run)


def _xids(indexes: Mapping[str, str], run: Run) -> Metric:
    """Count the driver's messages since the boot. A message names a GPU by its address on the bus."""
    log = run(["journalctl", "--dmesg", "--boot", "--output=cat", "--no-pager", "--grep=NVRM: Xid"])
    counts = Counter((indexes.get(_short(address), "?"), str(xid)) for address, xid in xids_in(log))
    samples = tuple(({"gpu": gpu, "xid": xid}, float(count)) for (gpu, xid), count in sorted(counts.items()))
    return Metric("hpc_gpu_xid_total", "counter", "Messages of the driver by Xid since the boot.", samples)


def _short(address: str) -> str:
    """Return domain, bus and device: `00000000:3B:00.0` and `0000:3b:00` are the same device."""
    domain, bus, device = address.lower().split(":")
    return f"{domain[-4:]}:{bus}:{device.partition('.')[0]}"


def _number(text: str) -> float | None:
    """Return a value, or None for `[N/A]` and the like: not every GPU has every sensor."""
    if text in _TRUE:
        return _TRUE[text]
    try:
        return float(text)
    except ValueError:
        return None
