"""A forecast as plain JSON types."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.forecast.costs import Costs, costs_of, in_cents
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun
from hpc_components.forecast.series import days_of, nodes_of
from hpc_components.forecast.tally import Tally
from hpc_components.spec.cluster import ClusterSpec

VERSION = 1
HOUR = 3600
DAY = 86400

WAIT_LIMITS = (60, 300, 900, HOUR, 4 * HOUR, DAY)
"""Upper limits of the classes in which waits are counted, in seconds. The last class has no limit."""

_UNUSED = "boot, idle time and unused parts of nodes"


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A cluster, and what happened to it."""

    stack: str
    cluster: ClusterSpec
    run: FleetRun


def document_of(
    forecasts: Sequence[Forecast], assumed: Assumptions, *, jobs: str, skipped: Mapping[str, int]
) -> dict[str, Any]:
    """Return the forecasts of the same jobs for several stacks.

    `jobs` names the file, and `skipped` counts its jobs that could not be replayed, by reason. Amounts are in USD,
    times in seconds since 1970 on the file's clock, and durations in seconds unless their key says otherwise.
    """
    first = min(each.run.first or 0 for each in forecasts)
    last = max(each.run.last for each in forecasts)
    submitted = sum(queue.tally.submitted for queue in forecasts[0].run.queues.values())
    return {
        "forecast": VERSION,
        "currency": "USD",
        "jobs": {
            "file": jobs,
            "submitted": submitted,
            "left_out": [{"reason": reason, "jobs": count} for reason, count in sorted(skipped.items())],
        },
        "first": first,
        "last": last,
        "assumed": asdict(assumed),
        "wait_limits": list(WAIT_LIMITS),
        "stacks": [_stack(each) for each in forecasts],
    }


def _stack(forecast: Forecast) -> dict[str, Any]:
    cluster, run = forecast.cluster, forecast.run
    costs, seconds = costs_of(cluster, run), max(run.last - (run.first or 0), 1)
    names = {f"queue {name}": amount for name, amount in costs.queues.items()}
    parts = in_cents({**names, **costs.standing})
    total = sum(parts.values())
    tallies = [queue.tally for queue in run.queues.values()]
    return {
        "stack": forecast.stack,
        "warm": [wish.text for wish in run.warm],
        "cluster": cluster.name,
        "cloud": cluster.cloud,
        "region": cluster.region,
        "days": round(seconds / DAY, 2),
        "cost": total / 100,
        "month": _in_a_month(total, seconds),
        "parts": [{"what": what, "cost": cents / 100} for what, cents in parts.items()],
        "accounts": _accounts(costs),
        "unpriced": sorted(costs.unpriced),
        "waits": _waits(chain.from_iterable(tally.waits for tally in tallies)),
        "finished": sum(tally.finished for tally in tallies),
        "queues": [_queue(name, run, parts, seconds) for name in run.queues],
        "refused": list(_refused(run)),
        "moved": [{"from": old, "to": new, "jobs": count} for (old, new), count in sorted(run.moved.items())],
        "days_cost": days_of(cluster, run),
    }


def _in_a_month(cents: int, seconds: int) -> float:
    return round(cents * HOURS_PER_MONTH * HOUR / seconds) / 100


def _accounts(costs: Costs) -> list[dict[str, Any]]:
    """Return the cost of each account's jobs, largest first, and what no job pays for."""
    own = dict(costs.accounts.most_common())
    shared = {_UNUSED: costs.unused, **costs.standing}
    kinds = ("account", own), ("shared", shared)
    cents = in_cents({(kind, name): amount for kind, each in kinds for name, amount in each.items()})
    return [{kind: name, "cost": cost / 100} for (kind, name), cost in cents.items()]


def _queue(name: str, run: FleetRun, parts: Mapping[str, int], seconds: int) -> dict[str, Any]:
    queue, tally = run.queues[name].queue, run.queues[name].tally
    machine_seconds = tally.machine_seconds.total()
    used = tally.unit_seconds.total() // queue.cpus
    return {
        "queue": name,
        "machine": queue.config.pools[0].machine,
        "purchase": queue.config.pools[0].purchase,
        "min": queue.config.min,
        "max": queue.config.max,
        "jobs": tally.submitted,
        "finished": tally.finished,
        "cost": parts[f"queue {name}"] / 100,
        "node_hours": round(machine_seconds / HOUR, 2),
        "machines": _machines(tally),
        "use": _share(used, machine_seconds),
        "boot": _share(tally.boot_seconds, machine_seconds),
        "boots": tally.boots,
        "waits": _waits(tally.waits),
        "most_waiting": tally.most_waiting,
        "capacity_errors": tally.refusals,
        "lost_machines": tally.losses,
        "requeued": tally.requeued,
        "failed": tally.failed,
        "lost_node_hours": round(tally.lost_unit_seconds / queue.cpus / HOUR, 2),
        "nodes": nodes_of(tally),
    }


def _machines(tally: Tally) -> list[dict[str, Any]]:
    hours: Counter[tuple[str, str]] = Counter()
    for pool, seconds in tally.machine_seconds.items():
        hours[pool.machine, pool.zone] += seconds
    return [
        {"machine": machine, "zone": zone, "node_hours": round(seconds / HOUR, 2)}
        for (machine, zone), seconds in sorted(hours.items())
    ]


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _waits(waits: Iterable[int]) -> dict[str, Any] | None:
    """Return figures of the waits from submission to start, boot included, or None if no job started."""
    found = array("q", sorted(waits))
    if not found:
        return None
    classes, below = [], 0
    for limit in WAIT_LIMITS:
        count = _at_most(found, limit)
        classes.append(count - below)
        below = count
    return {
        "median": found[(len(found) - 1) // 2],
        "p90": found[(len(found) - 1) * 9 // 10],
        "max": found[-1],
        "mean": round(sum(found) / len(found)),
        "classes": [*classes, len(found) - below],
    }


def _at_most(waits: "array[int]", limit: int) -> int:
    return bisect_right(waits, limit)


def _refused(run: FleetRun) -> Iterator[dict[str, Any]]:
    for name, queue in run.queues.items():
        for reason, count in queue.tally.refused.most_common():
            yield {"queue": name, "reason": reason, "jobs": count, "example": queue.tally.examples[reason]}
