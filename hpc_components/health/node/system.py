"""Checks of memory and clock."""

import re
from contextlib import suppress

from hpc_components.health.node.commands import run
from hpc_components.health.node.machine import Machine
from hpc_components.health.node.verdict import WELL, Verdict, failed, unknown

_CONTROLLERS = "/sys/devices/system/edac/mc"


def memory_mib(machine: Machine) -> int | None:
    found = re.search(r"^MemTotal:\s+(\d+) kB", machine.text("/proc/meminfo") or "", re.M)
    return int(found[1]) // 1024 if found else None


def judge_memory_size(here: int | None, wanted: int, percent: int) -> Verdict:
    """Judge the size of the memory in MiB. Slurm itself refuses a node with less than `percent` of `wanted`."""
    if here is None:
        return unknown("/proc/meminfo can't be read")
    least = wanted * percent // 100
    return WELL if here >= least else failed(f"{here} MiB of memory, fewer than {least}")


def uncorrectable_errors(machine: Machine) -> int | None:
    """Return the uncorrectable errors of memory since the boot. None: the kernel counts none, as on most machines of
    clouds."""
    names = [name for name in machine.names(_CONTROLLERS) or () if re.fullmatch(r"mc\d+", name)]
    counts = [machine.number(f"{_CONTROLLERS}/{name}/ue_count") for name in names]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def judge_memory_errors(errors: int | None, most: int) -> Verdict:
    if errors is None or errors <= most:
        return WELL
    return failed(f"{errors} uncorrectable memory errors")


def clock_offset(seconds: float) -> float | None:
    """Return by how many seconds the clock differs from its source. None: chrony does not tell, or has no source.

    Source: chronyc(1), -c and tracking: the fifth value is the offset, the last one the state of the leap second.
    """
    answer = run(["chronyc", "-n", "-c", "tracking"], seconds)
    fields = answer.text.strip().split(",") if answer and answer.code == 0 else []
    if len(fields) < 14 or fields[-1] == "Not synchronised":
        return None
    with suppress(ValueError):
        return abs(float(fields[4]))
    return None


def judge_clock(offset: float | None, most: float) -> Verdict:
    if offset is None:
        return unknown("chrony does not tell")
    return WELL if offset <= most else failed(f"the clock is {offset:.0f} s off")
