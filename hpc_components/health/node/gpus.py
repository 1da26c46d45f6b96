"""Checks of NVIDIA GPUs: how many there are, what their driver has logged, and errors of their memory."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.health.node.commands import run
from hpc_components.health.node.machine import Machine
from hpc_components.health.node.verdict import WELL, Verdict, failed, unknown
from hpc_components.xid_lines import xids_in

GPU_LOST = 15
"""Exit code of nvidia-smi if a GPU has fallen off the bus or can't be reached. Source: nvidia-smi(1)."""


def count_gpus(machine: Machine) -> int:
    """Return the number of GPUs that the driver shows; 0 if it is not loaded."""
    return len(machine.names("/proc/driver/nvidia/gpus") or ())


def judge_count(here: int, wanted: int) -> Verdict:
    if here >= wanted:
        return WELL
    return failed(f"{here} GPUs, but slurm.conf says {wanted}" if here else "NVIDIA's driver shows no GPU")


def judge_log(log: str | None, fatal: Mapping[int, str]) -> Verdict:
    """Judge the kernel's log. Codes that are not in `fatal` are informational, or errors of the application."""
    if log is None:
        return unknown("/dev/kmsg can't be read")
    for address, code in xids_in(log):
        if code in fatal:
            return failed(f"Xid {code} of GPU {address}: {fatal[code]}")
    return WELL


@dataclass(frozen=True, kw_only=True)
class GpuMemory:
    """Errors of the memory of the GPUs, in the order of their numbers. None: the GPU does not report the value."""

    uncorrectable: Sequence[int | None]
    """Uncorrectable errors since the driver was loaded."""
    remap_failed: Sequence[int | None]
    """1 if a row of the memory could not be remapped."""
    lost: bool = False


def read_memory(seconds: float) -> GpuMemory | None:
    """Ask nvidia-smi. Return None if it is missing or fails. Raise NoAnswerError if it does not answer in time."""
    counts = _query("--query-gpu=ecc.errors.uncorrected.volatile.total", seconds)
    rows = _query("--query-remapped-rows=remapped_rows.failure", seconds)
    if counts is None or rows is None:
        return None
    return GpuMemory(
        uncorrectable=[] if counts == GPU_LOST else _numbers(counts),
        remap_failed=[] if rows == GPU_LOST else _numbers(rows),
        lost=GPU_LOST in (counts, rows),
    )


def judge_memory(memory: GpuMemory | None, most: int) -> Verdict:
    """Judge the memory of the GPUs.

    A pending remapping is not an error: "new workloads can be launched". Source: NVIDIA, GPU Memory Error Management,
    Error Recovery and Response Flags.
    """
    if memory is None:
        return unknown("nvidia-smi does not tell")
    if memory.lost:
        return failed("nvidia-smi can't reach a GPU")
    for number, failure in enumerate(memory.remap_failed):
        if failure:
            return failed(f"GPU {number}: a row of its memory could not be remapped")
    for number, errors in enumerate(memory.uncorrectable):
        if errors is not None and errors > most:
            return failed(f"GPU {number}: {errors} uncorrectable memory errors")
    return WELL


def _query(what: str, seconds: float) -> str | int | None:
    answer = run(["nvidia-smi", what, "--format=csv,noheader,nounits"], seconds)
    if answer is None or answer.code not in (0, GPU_LOST):
        return None
    return answer.text if answer.code == 0 else GPU_LOST


def _numbers(text: str | int) -> list[int | None]:
    words = {"yes": 1, "no": 0}
    values = (line.strip().lower() for line in str(text).splitlines() if line.strip())
    return [int(value) if value.isdecimal() else words.get(value) for value in values]


def check_dcgm(moment: str, seconds: float) -> Verdict:
    """Ask DCGM: at boot its quick diagnostic, later what its watches have seen."""
    if moment == "boot":
        run(["dcgmi", "health", "-s", "a"], seconds)  # what DCGM watches from now on
        return judge_dcgm(run(["dcgmi", "diag", "-r", "1", "-j"], seconds))
    return judge_dcgm(run(["dcgmi", "health", "-c", "-j"], seconds))


def judge_dcgm(answer: Any) -> Verdict:
    """Judge an `Output` of dcgmi. Its structure differs between releases, so all that it contains is searched."""
    try:
        document = json.loads(answer.text) if answer else None
    except ValueError:
        document = None
    if document is None:
        return unknown("DCGM does not tell")
    return next((failed(f"DCGM: {what}") for what in _failures(document, "")), WELL)


def _failures(part: Any, name: str) -> Iterator[str]:
    """Yield the names of tests that have failed, and `Overall Health` if it is a failure."""
    if isinstance(part, list):
        for each in part:
            yield from _failures(each, name)
    elif isinstance(part, dict):
        name = str(part.get("name", name))
        if str(part.get("status", "")).lower() == "fail" or str(part.get("value", "")).lower() == "failure":
            yield name
        for key, each in part.items():
            yield from _failures(each, name if key in ("results", "tests") else key)
