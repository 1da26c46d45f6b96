"""What a cluster costs a month, idle and full, as far as the catalogue has prices."""

from collections.abc import Iterable, Iterator
from typing import Literal

from hpc_components.aws.catalog.prices import service_price
from hpc_components.aws.rules._disks import disks
from hpc_components.aws.rules._stores import lustre_systems, nfs_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import HOURS_PER_MONTH, price
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.queues import Queue
from hpc_components.spec.rules._fleet import facts

__all__ = ["full_cost", "idle_cost"]


def idle_cost(cluster: AwsClusterSpec) -> dict[str, float]:
    """USD a month by what it is for, the largest first, with only the nodes that are always there.

    List prices; what has none in the catalogue is left out.
    """
    return _summed(_parts(cluster, full=False))


def full_cost(cluster: AwsClusterSpec) -> dict[str, float]:
    """As `idle_cost`, with every queue at its `max` the whole month."""
    return _summed(_parts(cluster, full=True))


def _summed(parts: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for what, usd in parts:
        found[what] = found.get(what, 0) + usd
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _parts(cluster: AwsClusterSpec, *, full: bool) -> Iterator[tuple[str, float]]:
    yield "head node", _machine(cluster, cluster.head_node.machine, 1)
    if login := cluster.login_nodes:
        yield "login nodes", _machine(cluster, login.machine, max(login.max if full else login.min, 0))
        yield "login nodes", _service(cluster, "nlb.hour", HOURS_PER_MONTH)
    for queue in cluster.queues:
        nodes = max(queue.max if full else queue.min, 0)
        yield f"queue {queue.name}", _machine(cluster, queue.machine, nodes, _market(queue))
    if cluster.network.cidr is not None:
        gateways = {"one": 1, "per_zone": len(cluster.zones), "none": 0}[cluster.network.nat]
        yield "NAT", _service(cluster, "nat_gateway.hour", gateways * HOURS_PER_MONTH)
    for use in disks(cluster):
        if use.path[0] == "head_node":
            yield "disks", _service(cluster, f"ebs.{use.disk.type}.storage", use.disk.size.in_gib)
    yield from _file_systems(cluster)


def _file_systems(cluster: AwsClusterSpec) -> Iterator[tuple[str, float]]:
    for (_, name), lustre in lustre_systems(cluster):
        kind = f"lustre.{lustre.deployment}"
        if lustre.throughput is not None:
            kind += f".{lustre.storage}.{lustre.throughput}"
        yield str(name), _service(cluster, kind, lustre.size.lustre_gib if lustre.size else 0)
    for (_, name), nfs in nfs_systems(cluster):
        kind = "openzfs.multi_az" if nfs.deployment.startswith("multi_az") else "openzfs.single_az"
        yield str(name), _service(cluster, f"{kind}.storage", nfs.size.in_gib if nfs.size else 0)
        yield str(name), _service(cluster, f"{kind}.throughput", nfs.throughput)


def _machine(
    cluster: AwsClusterSpec, name: str, count: int, market: Literal["on_demand", "spot"] | None = "on_demand"
) -> float:
    machine = facts(cluster, name)
    found = price(machine, cluster.region, market) if machine and market else None
    return found.usd * HOURS_PER_MONTH * count if found else 0


def _service(cluster: AwsClusterSpec, item: str, quantity: float) -> float:
    found = service_price(item, cluster.region)
    return found.usd * quantity if found else 0


def _market(queue: Queue) -> Literal["on_demand", "spot"] | None:
    """A reservation is billed as on demand; a capacity block was paid when it was bought."""
    kind = purchase_kind(queue)
    if kind == "capacity_block":
        return None
    return "spot" if kind == "spot" else "on_demand"
