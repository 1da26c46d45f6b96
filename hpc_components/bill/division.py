"""Divides the time of a machine among the jobs on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hpc_components.bill.jobs import Run

WHOLE = 1 << 64
"""The weight of a job that has the whole node."""


@dataclass(frozen=True)
class Capacity:
    """What a node of a queue has for jobs, as Slurm announces it."""

    cpus: int
    memory_mib: int
    gpus: int


def weight(run: Run, capacity: Capacity | None) -> int:
    """Return a run's share of each of its nodes: the largest of its shares of CPUs, memory and GPUs.

    If the capacity is unknown, the runs on a node share all of it in proportion to their CPUs.
    """
    nodes = len(run.nodes)
    if capacity is None:
        return max(WHOLE, run.cpus * WHOLE // nodes)
    shares = (
        (run.cpus, capacity.cpus),
        (round(run.memory_mib * 1024), capacity.memory_mib * 1024),
        (run.gpus, capacity.gpus),
    )
    return min(WHOLE, max(part * WHOLE // (whole * nodes) if whole else 0 for part, whole in shares))


@dataclass(frozen=True)
class Occupant:
    """A run on a node, from `start` to `end`."""

    run: int
    start: int
    end: int
    weight: int


@dataclass(frozen=True)
class Part:
    """A run's part of a machine's time: `node_ms` milliseconds of the whole machine, which cost `units`."""

    run: int
    node_ms: int
    units: int


def divide(since: int, until: int, nano_per_hour: int, occupants: Iterable[Occupant]) -> list[Part]:
    """Divide the time from `since` to `until`, in which the machine has one price.

    A run gets its weight of each moment; where the weights exceed the whole node, they are scaled down. What is left
    is idle. Rounding down leaves to it less than one unit for each part.
    """
    here = [(each, max(each.start, since), min(each.end, until)) for each in occupants]
    here = [(each, start, end) for each, start, end in here if start < end]
    reached = _scaled_time(here)
    parts = []
    for each, start, end in here:
        share = each.weight * (reached[end] - reached[start])
        parts.append(Part(each.run, share >> 128, share * nano_per_hour >> 128))
    return parts


def _scaled_time(here: Sequence[tuple[Occupant, int, int]]) -> dict[int, int]:
    """Return for each time at which a run begins or ends the time since the first of them, in 2^-64 milliseconds.

    Time passes more slowly while the weights exceed the whole node.
    """
    change: dict[int, int] = {}
    for each, start, end in here:
        change[start] = change.get(start, 0) + each.weight
        change[end] = change.get(end, 0) - each.weight
    reached: dict[int, int] = {}
    total, now, before = 0, 0, 0
    for time in sorted(change):
        if total:
            now += (time - before) * WHOLE if total <= WHOLE else (time - before) * WHOLE * WHOLE // total
        reached[time] = now
        total += change[time]
        before = time
    return reached
