from collections.abc import Iterable
from typing import Any

from hpc_components.catalog import machine
from hpc_components.preview.clouds import reader_of
from hpc_components.preview.picture.cards import Fleet
from hpc_components.preview.plan import Plan
from hpc_components.preview.rates import kinds_of_prices

VERSION = 1


def comparison_of(plans: Iterable[Plan]) -> dict[str, Any]:
    """Return a comparison of the plans' clusters, in plain JSON types.

    `stacks` has an entry for each plan, in the given order. An entry contains the cluster's location, its `queues`,
    what its `prices` are, the total `cores` and `gpus` of the full cluster (None if a machine is unknown), the plan's
    `idle` and `full` costs, and the numbers of `unsure` prices, `errors` and `warnings`. Each queue has its
    node count, a node's resources and settings, and the prices per node-hour, core-hour and GPU-hour. Prices are in
    USD, memory is in GiB, and the fabric's speed is in Gbit/s.
    """
    return {"comparison": VERSION, "currency": "USD", "stacks": [_stack(plan) for plan in plans]}


def _stack(plan: Plan) -> dict[str, Any]:
    fleets = {fleet.queue: fleet for fleet in reader_of(plan.cloud).fleets(plan.resources)}
    queues = [_queue(plan.cloud, each, fleets.get(each["queue"])) for each in plan.cost["queues"]]
    levels = [finding["level"] for finding in plan.reported]
    return {
        "stack": plan.stack,
        "cluster": plan.cluster,
        "cloud": plan.cloud,
        "region": plan.region,
        "queues": queues,
        "cores": _sum(queues, "cores"),
        "gpus": _sum(queues, "gpus"),
        "prices": kinds_of_prices(plan.cost),
        "idle": plan.cost["idle"],
        "full": plan.cost["full"],
        "unsure": sum(line["unsure"] for line in plan.cost["lines"]),
        "errors": levels.count("error"),
        "warnings": levels.count("warning"),
    }


def _queue(cloud: str, queue: dict[str, Any], fleet: Fleet | None) -> dict[str, Any]:
    facts = machine(cloud, queue["machine"]) if queue["machine"] else None
    gpus = facts.accelerator.count if facts and facts.accelerator else 0
    fabric = facts.fabric if facts and fleet and fleet.fabric else None
    priced = gpus and queue["node_hour"] is not None
    return {
        **queue,
        "memory_gib": facts.memory_gib if facts else None,
        "gpus": gpus if facts else None,
        "gpu": facts.accelerator.model if facts and facts.accelerator else None,
        "gpu_hour": round(queue["node_hour"] / gpus, 4) if priced else None,
        "fabric": fabric.name if fabric else None,
        "fabric_gbps": fabric.gbps if fabric else 0,
        "placement": fleet.placement if fleet else None,
    }


def _sum(queues: list[dict[str, Any]], what: str) -> int | None:
    if any(queue[what] is None for queue in queues):
        return None
    return sum(queue[what] * queue["max"] for queue in queues)
