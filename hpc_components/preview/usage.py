from collections.abc import Mapping, Sequence
from typing import Any

from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.errors import HpcError
from hpc_components.preview.clouds import reader_of
from hpc_components.preview.comparison import comparison_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.rates import kinds_of_prices

VERSION = 1
"""Format version, stored under the key `usage`."""


class UnknownQueueError(HpcError, ValueError):
    """Raised if hours are specified for a queue that is not in the plan. The message lists the plan's queues."""


def usage_of(plan: Plan, hours: Mapping[str | None, float], budget: float | None = None) -> dict[str, Any]:
    """Return the plan's monthly cost in USD, as plain JSON types. `prices` says what the prices are, in words.

    `hours` maps each queue to the number of hours per month during which all its nodes run. The value under None
    applies to all other queues. Without this value, other queues stay at their minimum number of nodes.

    In the result, `queues` contains each queue's prices per node-hour, core-hour and GPU-hour, its hours, and its
    monthly cost, including the nodes' disks (`month`). `standing_month` is the cost of everything else, and the
    top-level `month` is the total. If `hours` is empty, the hours and these monthly costs are None. `idle_month` and
    `full_month` always have values. `at_least` is true if prices are missing.

    If `budget` is set, `buys` contains what so many USD a month buy: what is `left` after the idle cluster's cost,
    and how many node-hours, core-hours and GPU-hours that is in each queue, if it is spent there alone. A queue in
    which `all` is true has all its nodes running throughout the month for less.

    Raise UnknownQueueError if `hours` contains a queue that doesn't exist.
    """
    (stack,) = comparison_of([plan])["stacks"]
    names = [queue["queue"] for queue in stack["queues"]]
    for name in hours:
        if name is not None and name not in names:
            raise UnknownQueueError(
                f"there is no queue {name!r}; the queues are {', '.join(names) or 'not described'}"
            )
    by_name = {name: hours.get(name, hours.get(None, 0.0)) for name in names}
    months, standing = _months(plan, by_name)
    cost = plan.cost
    return {
        "usage": VERSION,
        "currency": cost["currency"],
        "prices": kinds_of_prices(cost),
        "hours_in_month": HOURS_PER_MONTH,
        **{key: stack[key] for key in ("stack", "cluster", "cloud", "region", "unsure")},
        "queues": [
            {
                **{key: queue[key] for key in ("queue", "machine", "purchase", "min", "max", "cores", "gpus", "gpu")},
                **{key: queue[key] for key in ("node_hour", "core_hour", "gpu_hour")},
                "hours": by_name[queue["queue"]] if hours else None,
                "month": round(months[queue["queue"]], 2) if hours else None,
            }
            for queue in stack["queues"]
        ],
        "standing_month": round(standing, 2) if hours else None,
        "month": round(sum(months.values()) + standing, 2) if hours else None,
        "idle_month": cost["idle"]["month"],
        "full_month": cost["full"]["month"],
        "at_least": cost["full"]["at_least"],
        "budget": cost["budget"],
        "buys": None if budget is None else _buys(plan, stack["queues"], budget),
    }


def _buys(plan: Plan, queues: Sequence[Mapping[str, Any]], budget: float) -> dict[str, Any]:
    idle = plan.cost["idle"]["month"]
    left = max(round(budget - idle, 2), 0.0)
    return {
        "budget": budget,
        "idle_month": idle,
        "left": left,
        "queues": [_bought(plan, queue, left) for queue in queues],
    }


def _bought(plan: Plan, queue: Mapping[str, Any], left: float) -> dict[str, Any]:
    """Return how many hours of a queue's nodes `left` USD buy beyond those that always run, disks included."""
    none = {each["queue"]: 0.0 for each in plan.cost["queues"]}
    nodes = queue["max"] - queue["min"]
    found = [_months(plan, {**none, queue["queue"]: hours}) for hours in (0.0, 1.0)]
    idle, one_hour = (sum(months.values()) + standing for months, standing in found)
    hourly = (one_hour - idle) / nodes if nodes and queue["node_hour"] is not None else 0.0
    most = nodes * HOURS_PER_MONTH
    node_hours = min(left / hourly, most) if hourly > 0 else None
    return {
        "queue": queue["queue"],
        "node_hour": round(hourly, 4) if hourly > 0 else None,
        "node_hours": None if node_hours is None else round(node_hours, 1),
        "all": node_hours == most,
        "core_hours": round(node_hours * queue["cores"], 1) if node_hours is not None and queue["cores"] else None,
        "gpu_hours": round(node_hours * queue["gpus"], 1) if node_hours is not None and queue["gpus"] else None,
    }


def _months(plan: Plan, hours: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Return the cost of each queue and of everything else, in USD per month.

    Some costs grow with the number of nodes but don't belong to a queue, such as a gateway billed per machine. These
    costs are calculated from the hours of the busiest queue.
    """
    queue_of = {use.resource: use.queue for use in reader_of(plan.cloud).machines(plan.resources) if use.queue}
    months, standing = dict.fromkeys(hours, 0.0), 0.0
    for line in plan.cost["lines"]:
        queue = queue_of.get(line["resource"])
        at_full = hours[queue] if queue else max(hours.values(), default=0.0)
        month = line["idle_month"] + (line["full_hour"] - line["idle_hour"]) * at_full
        if queue:
            months[queue] += month
        else:
            standing += month
    return months, standing
