"""Makes Slurm count money: its billing unit is a millionth of a dollar per minute.

A smaller unit would not be exact enough, because Slurm cuts the billing of each job to an integer. Source: Slurm's
documentation, "Trackable Resources"; Slurm source code, src/slurmctld/job_mgr.c (calc_job_billable_tres).
"""

from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal

from hpc_components.slurm.queue_nodes import QueueNodes
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

    Usage must not decay, because a decayed cost could be spent again. Every account starts the month at zero if any
    budget is monthly; totals then depend on `hpc-bill settle`. A job's cost is the largest of its shares of the
    node's CPUs, memory and GPUs. Usage grows every minute, not every five. Source: slurm.conf(5),
    PriorityDecayHalfLife, PriorityUsageResetPeriod, PriorityCalcPeriod and PriorityFlags.
    """
    if not has_budgets(cluster):
        return {}
    monthly = any(one.budget.monthly is not None for one in spending_limits(cluster))
    return {
        "PriorityDecayHalfLife": 0,
        "PriorityUsageResetPeriod": "MONTHLY" if monthly else "NONE",
        "PriorityCalcPeriod": 1,
        "PriorityFlags": "MAX_TRES",
    }


def billing_weights(cluster: ClusterSpec, queue: Queue, nodes: QueueNodes) -> str:
    """Return a partition's `TRESBillingWeights`: for each resource, the price of the node divided by the number that
    the node has. Raise ValueError if the price of one of the queue's machine types is unknown.
    """
    rate = queue_rate(cluster, queue)
    if rate is None:
        raise ValueError(f"queue {queue.name}: budgets need the price of a node; set it in billing.rates")
    node = rate.usd_per_hour * BILLING_PER_USD / _MINUTES_PER_HOUR
    weights = (f"{name}={(node / count).quantize(_STEP, ROUND_CEILING)}" for name, count in _counts(nodes))
    return ",".join(weights)


def _counts(nodes: QueueNodes) -> Iterator[tuple[str, int]]:
    """Yield (name, number in a node) for each resource. Memory is in MiB."""
    yield "CPU", nodes.cpus
    yield "Mem", nodes.memory_mib
    if nodes.gpus:
        yield "GRES/gpu", nodes.gpus.count
        if nodes.gpus.shares:
            kind, number = nodes.gpus.shares
            yield f"GRES/{kind}", number * nodes.gpus.count
