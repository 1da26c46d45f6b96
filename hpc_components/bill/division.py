"""Divides the time of a machine among the jobs on it."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hpc_components.bill.jobs import Run
from hpc_components.bill.rates import Segment, Tariff

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


class Occupant(NamedTuple):
    """A run on a node, from `start` to `end`."""

    run: int
    start: int
    end: int
    weight: int


class Part(NamedTuple):
    """A run's part of a machine's time: `node_ms` milliseconds of the whole machine, which cost `units`."""

    run: int
    tariff: Tariff
    node_ms: int
    units: int


def divide(segments: Sequence[Segment], occupants: Iterable[Occupant]) -> Iterator[Part]:
    """Divide consecutive parts of a machine's life among the runs on its node.

    A run gets its weight of each moment; where the weights exceed the whole node, they are scaled down. What is left
    is idle. Rounding down leaves to it less than one unit for each part.
    """
    if not segments:
        return
    since, until = segments[0].since, segments[-1].until
    here = [its._replace(start=max(its.start, since), end=min(its.end, until)) for its in occupants]
    here = [its for its in here if its.start < its.end]
    begins = [segment.since for segment in segments]
    reached = _scaled_time(here, begins)
    for its in here:
        place, start = bisect_right(begins, its.start) - 1, reached[its.start]
        while True:
            tariff, time, cost = segments[place].tariff, 0, 0
            while place < len(segments) and segments[place].tariff is tariff and begins[place] < its.end:
                segment = segments[place]
                end = reached[its.end if its.end < segment.until else segment.until]
                time += end - start
                cost += (end - start) * segment.price
                place, start = place + 1, end
            yield Part(its.run, tariff, its.weight * time >> 128, its.weight * cost >> 128)
            if place == len(segments) or begins[place] >= its.end:
                break


def _scaled_time(here: Sequence[Occupant], begins: Sequence[int]) -> dict[int, int]:
    """Return for each time at which a run begins or ends, or a price, the time since the first of them, in 2^-64
    milliseconds.

    Time passes more slowly while the weights exceed the whole node.
    """
    change = dict.fromkeys(begins, 0)  # so that `reached` has these times too
    for its in here:
        change[its.start] = change.get(its.start, 0) + its.weight
        change[its.end] = change.get(its.end, 0) - its.weight
    reached: dict[int, int] = {}
    total, now, before = 0, 0, begins[0]
    for time in sorted(change):
        if total:
            now += (time - before) * WHOLE if total <= WHOLE else (time - before) * WHOLE * WHOLE // total
        reached[time] = now
        total += change[time]
        before = time
    return reached
