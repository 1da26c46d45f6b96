import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hpc_components.catalog import HOURS_PER_MONTH, Price, machine, price, service_price
from hpc_components.spec.billed_services import PaidService
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.node_rates import NodeRate, node_rate
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.queues import Queue

_DECIMALS = Decimal("1e-9")
_NETWORK = frozenset({"Bastion", "NAT", "private endpoints"})


def prices_json(cluster: ClusterSpec) -> str:
    """Return the document (version 1), which `hpc_components.elastic.ledger.prices` reads.

    An unknown price is null. `source` says which region a price is for if that is not the cluster's.
    """
    machines = [entry for queue in cluster.queues for entry in _queue(cluster, queue)]
    services = [_service(cluster, what, parts) for what, parts in _services(cluster).items()]
    document = {"version": 1, "currency": "USD", "machines": machines, "services": services}
    return json.dumps(document, indent=1) + "\n"


@dataclass(frozen=True, kw_only=True)
class _Part:
    """A part of an hourly price. `usd` is None if unknown."""

    usd: Decimal | None
    basis: str = "list"
    source: str = ""
    as_of: str = ""


def _queue(cluster: ClusterSpec, queue: Queue) -> Iterator[dict[str, Any]]:
    for name in queue.machines:
        node = _rate(node_rate(cluster, queue, name))
        disks = [_billed(cluster, each) for each in cluster.node_services(queue, name)]
        # a rate of one's own contract holds even if the catalogue lacks the disk
        disks_usd = sum((part.usd for part in disks if part.usd is not None), Decimal(0))
        missing = (
            ["root disk not counted, because its price is unknown"] if any(each.usd is None for each in disks) else []
        )
        total = None if node.usd is None else node.usd + disks_usd
        for zone in cluster.queue_zones(queue):
            yield {
                "queue": queue.name,
                "machine": name,
                "zone": zone,
                "purchase": purchase_kind(queue),
                "usd_per_hour": _text(total),
                "disks_usd_per_hour": _text(disks_usd),
                "basis": node.basis,
                "source": "; ".join([node.source, *missing]),
                "as_of": node.as_of,
            }


def _rate(found: NodeRate | None) -> _Part:
    if found is None:
        return _Part(usd=None, source="no price in the catalogue")
    return _Part(usd=found.usd_per_hour, basis=found.basis, source=found.source, as_of=found.as_of)


def _services(cluster: ClusterSpec) -> dict[str, list[_Part]]:
    """Return the hourly prices of everything that exists at all times, by what it is for.

    Login nodes are counted at their minimum, because no program on the cluster knows how many there are.
    """
    found: dict[str, list[_Part]] = {"head node": [_machine(cluster, cluster.head_node.machine, 1)]}
    if (login := cluster.login_nodes) and login.min:
        found["login nodes"] = [_machine(cluster, login.machine, login.min)]
    for service in cluster.paid_services():
        if service.quantity:
            what = f"file system {service.what}" if service.what in cluster.storage else service.what
            found.setdefault("head node" if what == "disks" else what, []).append(_billed(cluster, service))
    return found


def _service(cluster: ClusterSpec, what: str, parts: list[_Part]) -> dict[str, Any]:
    usd = None if any(part.usd is None for part in parts) else sum(part.usd or Decimal(0) for part in parts)
    sources = dict.fromkeys(part.source for part in parts if part.source)
    days = sorted(part.as_of for part in parts if part.as_of)
    return {
        "what": what,
        "group": _group(what),
        "usd_per_hour": _text(usd),
        "basis": "contract" if any(part.basis == "contract" for part in parts) else "list",
        "source": "; ".join(sources),
        "as_of": days[0] if days else "",
    }


def _group(what: str) -> str:
    named = {"head node": "head", "login nodes": "login"}
    if what.startswith("file system "):
        return "storage"
    return named.get(what, "network" if what in _NETWORK else "other")


def _machine(cluster: ClusterSpec, name: str, count: int) -> _Part:
    rates = cluster.billing.rates if cluster.billing else {}
    if name in rates:
        return _Part(usd=Decimal(str(rates[name])) * count, basis="contract", source="billing.rates")
    facts = machine(cluster.cloud, name)
    return _priced(price(facts, cluster.region, "on_demand") if facts else None, name, Decimal(count), cluster.region)


def _billed(cluster: ClusterSpec, service: PaidService) -> _Part:
    found, quantity = service_price(cluster.cloud, service.item, cluster.region), Decimal(str(service.quantity))
    if found is not None and not found.unit.endswith("hour"):
        quantity /= HOURS_PER_MONTH
    return _priced(found, service.item, quantity, cluster.region)


def _priced(found: Price | None, name: str, quantity: Decimal, region: str) -> _Part:
    if found is None:
        return _Part(usd=None, source=f"no price of {name} in the catalogue")
    source = found.source if found.exact_region else f"{found.source} ({found.region}, not {region})"
    return _Part(usd=Decimal(str(found.usd)) * quantity, source=source, as_of=found.as_of)


def _text(usd: Decimal | int | None) -> str | None:
    if usd is None:
        return None
    text = format(Decimal(usd).quantize(_DECIMALS), "f")
    return text.rstrip("0").rstrip(".")
