from collections.abc import Iterator
from math import ceil

from hpc_components.catalog import Purchase, machine
from hpc_components.gcp.catalog.quotas import (
    COUNTED_AS_SPOT,
    counted_vcpus,
    machine_quota,
    project_quotas,
    service_quota,
)
from hpc_components.gcp.placement.policy_limits import has_compact, most_in_policy
from hpc_components.gcp.plan.machines import GcpMachineUse, machine_uses
from hpc_components.gcp.plan.services import external_addresses
from hpc_components.gcp.plan.types import ADDRESS, NETWORK
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import QuotaNeed

_DISK_QUOTAS = {
    "pd-standard": "pd_standard",
    "pd-balanced": "pd_ssd",
    "pd-ssd": "pd_ssd",
    "pd-extreme": "pd_ssd",
    "hyperdisk-balanced": "hyperdisk-balanced",
    "hyperdisk-extreme": "hyperdisk-extreme",
    "hyperdisk-throughput": "hyperdisk-throughput",
}
"""Maps disk types to their quotas. Source: Compute Engine documentation, "Allocation quotas", disks."""
_POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"


def quota_needs(resources: Resources) -> Iterator[QuotaNeed]:
    machines = tuple(machine_uses(resources))
    for use in machines:
        yield from _chips(use)
        yield from _policies(use)
        for disk in use.disks:
            yield from disk_quota(disk.type, f"{use.what}: {use.full} × {disk.gib} GiB", disk.gib * use.full)
    for each in resources.of_type(_POLICY):
        yield QuotaNeed(quota=service_quota("resource_policies"), what=each.name, need=1)
    for each in resources.of_type(NETWORK):
        yield QuotaNeed(quota=service_quota("networks"), what=each.name, need=1)
    for each in external_addresses(resources):
        key = "static_addresses" if each.type == ADDRESS else "addresses"
        yield QuotaNeed(quota=service_quota(key), what=each.name, need=1)


def _chips(use: GcpMachineUse) -> Iterator[QuotaNeed]:
    """Yield the need for each CPU and GPU quota: the largest need among the machine type and its fallbacks."""
    market: Purchase = "spot" if use.purchase in COUNTED_AS_SPOT else "on_demand"
    if use.holds_quota:
        return
    largest: dict[str, QuotaNeed] = {}
    for name in use.machines:
        facts = machine("gcp", name)
        if facts is None:
            continue
        regional = machine_quota(facts, market)
        counts = [*([(regional, counted_vcpus(facts))] if regional else []), *project_quotas(facts, market)]
        for found, count in counts:
            need = use.full * count
            if found.key not in largest or need > largest[found.key].need:
                largest[found.key] = QuotaNeed(quota=found, what=f"{use.what}: {use.full} × {name}", need=need)
    yield from largest.values()


def _policies(use: GcpMachineUse) -> Iterator[QuotaNeed]:
    """Yield the quota needed for compact placement policies: the minimum number that the elastic daemon creates when
    the queue is full.
    """
    facts = machine("gcp", use.machines[0]) if use.machines and use.placed else None
    if facts is not None and has_compact(facts) and use.full:
        need = ceil(use.full / most_in_policy(facts))
        yield QuotaNeed(quota=service_quota("resource_policies"), what=use.what, need=need)


def disk_quota(type: str, what: str, gib: float) -> Iterator[QuotaNeed]:
    if key := _DISK_QUOTAS.get(type):
        yield QuotaNeed(quota=service_quota(key), what=what, need=gib)
