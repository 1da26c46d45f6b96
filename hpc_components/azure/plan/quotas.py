from collections.abc import Iterator

from hpc_components.azure.catalog.quotas import counted_vcpus, regional_quota, service_quota
from hpc_components.azure.plan.machines import AzureMachineUse, machine_uses
from hpc_components.azure.plan.types import PUBLIC_ADDRESS
from hpc_components.catalog import Purchase, machine, quota
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import QuotaNeed


def quota_needs(resources: Resources) -> Iterator[QuotaNeed]:
    machines = tuple(machine_uses(resources))
    for use in machines:
        yield from _vcpus(use)
    for each in resources.of_type(PUBLIC_ADDRESS):
        yield QuotaNeed(quota=service_quota("public_addresses"), what=each.name, need=1)


def _vcpus(use: AzureMachineUse) -> Iterator[QuotaNeed]:
    """For each family and regional quota, yield the largest need among the alternative machine types."""
    market: Purchase = "spot" if use.purchase == "spot" else "on_demand"
    largest: dict[str, QuotaNeed] = {}
    for name in use.machines:
        facts = machine("azure", name)
        if facts is None:
            continue
        need = use.full * counted_vcpus(facts)
        for found in (quota(facts, market), regional_quota(market)):
            if found and (found.key not in largest or need > largest[found.key].need):
                largest[found.key] = QuotaNeed(quota=found, what=f"{use.what}: {use.full} × {name}", need=need)
    yield from largest.values()
