from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from hpc_components.catalog import machine as machine_facts
from hpc_components.catalog import price
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queue_defaults import market_of
from hpc_components.spec.queues import Queue


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRate:
    """The price of a node-hour of one machine type. Disks are not included."""

    usd_per_hour: Decimal
    basis: Literal["list", "contract"]
    source: str
    as_of: str
    """Day of the list price, e.g. `2026-10-01`, or empty for a rate of the contract."""
    unsure: bool
    """Whether the list price is for another region or not confirmed, or changes hourly (spot)."""


def node_rate(cluster: ClusterSpec, queue: Queue, machine: str) -> NodeRate | None:
    """Return the rate at which `queue` uses a machine type, or None if neither `billing.rates` nor the catalogue has
    one, as for machines that are paid for in advance."""
    rates = cluster.billing.rates if cluster.billing else {}
    if machine in rates:
        usd = Decimal(str(rates[machine]))
        return NodeRate(usd_per_hour=usd, basis="contract", source="billing.rates", as_of="", unsure=False)
    facts, market = machine_facts(cluster.cloud, machine), market_of(queue)
    found = price(facts, cluster.region, market) if facts and market else None
    if found is None:
        return None
    return NodeRate(
        usd_per_hour=Decimal(str(found.usd)),
        basis="list",
        source=found.source,
        as_of=found.as_of,
        unsure=found.unsure or not found.exact_region or market == "spot",
    )
