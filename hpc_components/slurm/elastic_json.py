import json
from itertools import product
from typing import Any

from hpc_components.spec.cluster import Budget, ClusterSpec
from hpc_components.spec.queue_defaults import placement, purchase_kind
from hpc_components.spec.queues import Queue

COOLDOWN_SECONDS = 600
"""Seconds before a pool without capacity is tried again."""


def elastic_json(cluster: ClusterSpec) -> str:
    """Return the document (version 1), which `hpc_components.elastic.config` reads."""
    document = {
        "version": 1,
        "cluster": cluster.name,
        "cloud": cluster.cloud,
        "region": cluster.region,
        "boot_timeout": cluster.slurm.boot_time.seconds,
        "cooldown": COOLDOWN_SECONDS,
        "queues": [_queue(cluster, queue) for queue in cluster.queues],
        **_budget(cluster.budget),
    }
    return json.dumps(document, indent=1) + "\n"


def _budget(budget: Budget | None) -> dict[str, Any]:
    """Return the budget if the daemon watches it. A budget that only the cloud watches stays out of the document."""
    if budget is None or not (budget.stop_launches or budget.webhook_secret):
        return {}
    return {
        "budget": {
            "monthly_usd": f"{budget.monthly:.9f}".rstrip("0").rstrip("."),
            "stop_launches": budget.stop_launches,
            "alert_at": list(budget.alert_at),
            "webhook": budget.webhook_secret is not None,
        }
    }


def _queue(cluster: ClusterSpec, queue: Queue) -> dict[str, Any]:
    """Return a queue with its pools in the order in which the daemon tries them: each machine type in all zones
    before the next type.
    """
    return {
        "name": queue.name,
        "max": queue.max,
        "min": queue.min,
        "placement": placement(queue),
        "pools": [
            {"machine": machine, "zone": zone, "purchase": purchase_kind(queue)}
            for machine, zone in product(queue.machines, cluster.queue_zones(queue))
        ],
    }
