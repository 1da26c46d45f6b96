from dataclasses import replace
from functools import cache

from hpc_components.azure.catalog.size_names import full_size
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.machines import machine
from hpc_components.catalog.price_and_quota import Quota


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the vCPU quota that a machine counts against. `counted_vcpus` returns how many vCPUs are counted.

    On-demand machines and reserved capacity use the family's quota (`standardHBv4Family`), whose default is unknown.
    Spot machines share one quota for the whole region (`lowPriorityCores`). Return None for a spot purchase if the
    type is not available as a spot machine.
    """
    if purchase == "spot":
        return _quotas()["lowPriorityCores"] if machine.spot else None
    code = machine.quotas["on_demand"]
    general = (
        _quotas()["family"] if machine.accelerator is None and machine.fabric is None else _quotas()["hpc_family"]
    )
    return replace(general, key=code, code=code, name=f"{machine.family} vCPUs")


def regional_quota(purchase: Purchase) -> Quota | None:
    """Return the quota for all machines in a region (`cores`), which applies in addition to the family quota.

    Return None for spot machines, whose only quota is the one from `machine_quota`.
    """
    return None if purchase == "spot" else _quotas()["cores"]


def counted_vcpus(held: Machine) -> int:
    """Return how many vCPUs Azure counts against the quota for a machine. For a constrained size, Azure counts the
    vCPUs of the full size.

    Source: Azure's error message for a Standard_HB120-16rs_v2 (2026-07-20): "Additional Required: 120".
    """
    full = machine("azure", full_size(held.name))
    return full.vcpus if full else held.vcpus


def service_quota(key: str) -> Quota:
    """Return a quota that isn't for cores, such as `public_addresses`.

    Raise KeyError if the quota is not in the catalogue.
    """
    return _quotas()[key]


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("quotas", __file__)}
