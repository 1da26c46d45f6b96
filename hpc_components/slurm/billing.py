"""Makes Slurm count money: its billing unit is a millionth of a dollar per minute.

A smaller unit would not be exact enough, because Slurm cuts the billing of each job to an integer. Source: Slurm's
documentation, "Trackable Resources"; Slurm source code, src/slurmctld/job_mgr.c (calc_job_billable_tres).
"""

import json
from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal

from hpc_components.slurm.queue_nodes import QueueNodes, queue_nodes
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.node_rates import queue_rate
from hpc_components.spec.queues import Queue
from hpc_components.spec.slurm.values import Value
from hpc_components.spec.spending import has_budgets, spending_limits

BILLING_PER_USD = 10**6
"""Billing-minutes per USD."""

_MINUTES_PER_HOUR = 60
_STEP = Decimal("0.000001")


def billing_minutes(usd: float) -> int:
    """Return an amount in Slurm's unit of limits."""
    return int(Decimal(str(usd)) * BILLING_PER_USD)


def billing_settings(cluster: ClusterSpec) -> dict[str, Value]:
    """Return the settings with which Slurm counts what jobs cost, or none if the cluster has no budgets.

    Usage must not decay, because a decayed cost could be spent again. Nor does Slurm reset it, because it would
    reset that of totals, too: `hpc-bill settle` renews monthly budgets. A job's cost is the largest of its shares of
    the node's CPUs, memory and GPUs. Usage grows every minute, not every five. Source: slurm.conf(5),
    PriorityDecayHalfLife, PriorityUsageResetPeriod, PriorityCalcPeriod and PriorityFlags.
    """
    if not has_budgets(cluster):
        return {}
    return {
        "PriorityDecayHalfLife": 0,
        "PriorityUsageResetPeriod": "NONE",
        "PriorityCalcPeriod": 1,
        "PriorityFlags": "MAX_TRES",
    }


def billing_weights(cluster: ClusterSpec, queue: Queue, nodes: QueueNodes) -> str:
    """Return a partition's `TRESBillingWeights`: for each resource, the price of the node divided by the number that
    the node has. Raise ValueError if the price of one of the queue's machine types is unknown.
    """
    node = node_billing(cluster, queue)
    weights = (f"{name}={(node / count).quantize(_STEP, ROUND_CEILING)}" for name, count in _counts(nodes))
    return ",".join(weights)


def node_billing(cluster: ClusterSpec, queue: Queue) -> Decimal:
    """Return the billing of a whole node of the queue."""
    rate = queue_rate(cluster, queue)
    if rate is None:
        raise ValueError(f"queue {queue.name}: budgets need the price of a node; set it in billing.rates")
    return rate.usd_per_hour * BILLING_PER_USD / _MINUTES_PER_HOUR


def _counts(nodes: QueueNodes) -> Iterator[tuple[str, int]]:
    """Yield (name, number in a node) for each resource. Memory is in MiB."""
    yield "CPU", nodes.cpus
    yield "Mem", nodes.memory_mib
    if nodes.gpus:
        yield "GRES/gpu", nodes.gpus.count
        if nodes.gpus.shares:
            kind, number = nodes.gpus.shares
            yield f"GRES/{kind}", number * nodes.gpus.count


def budgets_json(cluster: ClusterSpec) -> str:
    """Return the document (version 1), which `hpc_components.bill.node.described` reads.

    Raise ValueError as `queue_nodes` and `billing_weights` do.
    """
    accounting = cluster.accounting
    document = {
        "version": 1,
        "cluster": cluster.name.lower(),
        "at_limit": accounting.at_limit if accounting else "finish",
        "budgets": [
            {
                "kind": one.kind,
                "name": one.name,
                "account": one.account,
                "user": one.user or "",
                "period": "month" if one.budget.monthly is not None else "total",
                "usd": str(Decimal(str(one.budget.usd))),
            }
            for one in spending_limits(cluster)
        ],
        "queues": {queue.name: _node(cluster, queue) for queue in cluster.queues},
    }
    return json.dumps(document, indent=1) + "\n"


def _node(cluster: ClusterSpec, queue: Queue) -> dict[str, int]:
    """Return what one needs to know to foresee the billing of a job that waits."""
    nodes = queue_nodes(cluster, queue)
    billing = int(node_billing(cluster, queue).to_integral_value(ROUND_CEILING))
    return {"billing": billing, "cpus": nodes.cpus, "threads_per_core": nodes.threads_per_core}
