from collections.abc import Iterable, Iterator
from typing import Literal

from hpc_components.catalog import HOURS_PER_MONTH, machine, monthly_usd, price, service_price
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queue_defaults import market_of


def idle_cost(cluster: ClusterSpec) -> dict[str, float]:
    """Return the monthly cost in USD by purpose, largest first, counting only nodes that always run.

    Amounts are list prices, and those of `billing.rates` for machines that have one. Items without a price in the
    catalogue count as zero.
    """
    return _summed(_parts(cluster, full=False))


def full_cost(cluster: ClusterSpec) -> dict[str, float]:
    """Return the same costs as `idle_cost`, but with all queues and login nodes at their maximum size all month."""
    return _summed(_parts(cluster, full=True))


def _summed(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for what, usd in parts:
        found[what] = found.get(what, 0) + usd
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _parts(cluster: ClusterSpec, *, full: bool) -> Iterator[tuple[str, float]]:
    yield "head node", _machines(cluster, cluster.head_node.machine, 1)
    if login := cluster.login_nodes:
        yield "login nodes", _machines(cluster, login.machine, max(login.max if full else login.min, 0))
    for queue in cluster.queues:
        nodes = max(queue.max if full else queue.min, 0)
        yield f"queue {queue.name}", _machines(cluster, queue.machine, nodes, market_of(queue))
    for service in cluster.paid_services():
        found = service_price(cluster.cloud, service.item, cluster.region)
        yield service.what, monthly_usd(found, service.quantity) if found else 0


def _machines(
    cluster: ClusterSpec, name: str, count: int, market: Literal["on_demand", "spot"] | None = "on_demand"
) -> float:
    rates = cluster.billing.rates if cluster.billing else {}
    if name in rates:
        return rates[name] * HOURS_PER_MONTH * count
    facts = machine(cluster.cloud, name)
    found = price(facts, cluster.region, market) if facts and market else None
    return found.usd * HOURS_PER_MONTH * count if found else 0
