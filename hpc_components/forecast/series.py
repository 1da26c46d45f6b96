"""How a fleet's nodes and costs changed over time."""

from collections import defaultdict
from typing import Any

from hpc_components.forecast.costs import CENT, HOUR, rate_of
from hpc_components.forecast.run import FleetRun
from hpc_components.forecast.tally import Tally
from hpc_components.spec.cluster import ClusterSpec

POINTS = 240
"""Maximum number of points of a series."""

_DAY_HOURS = 24


def nodes_of(tally: Tally) -> dict[str, Any]:
    """Return the average number of machines over time: `values` from `start` on, each for `step` seconds."""
    hours: defaultdict[int, int] = defaultdict(int)
    for series in tally.hours.values():
        for hour, seconds in series.by_hour().items():
            hours[hour] += seconds
    if not hours:
        return {"start": 0, "step": HOUR, "values": []}
    first, last = min(hours), max(hours)
    step = -(-(last - first + 1) // POINTS)
    values = [
        round(sum(hours.get(hour, 0) for hour in range(begin, begin + step)) / (step * HOUR), 2)
        for begin in range(first, last + 1, step)
    ]
    return {"start": first * HOUR, "step": step * HOUR, "values": values}


def days_of(cluster: ClusterSpec, run: FleetRun) -> list[dict[str, Any]]:
    """Return what machines cost on each day, in USD, on the file's clock."""
    days: defaultdict[int, int] = defaultdict(int)
    for name, queue_run in run.queues.items():
        for pool, series in queue_run.tally.hours.items():
            rate = rate_of(cluster, cluster.queue(name), pool) or 0
            for hour, seconds in series.by_hour().items():
                days[hour // _DAY_HOURS] += rate * seconds
    if not days:
        return []
    return [
        {"day": day * _DAY_HOURS * HOUR, "cost": days.get(day, 0) // HOUR // CENT / 100}
        for day in range(min(days), max(days) + 1)
    ]
