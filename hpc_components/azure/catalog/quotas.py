"""Azure's quotas: cores by family and market, all cores of a region, and those of other services."""

from dataclasses import replace
from functools import cache

from hpc_components.azure.catalog.size_names import full_size
from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.machines import machine
from hpc_components.catalog.quotas import Quota


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota, in vCPU, that running a machine counts against; `counted_vcpus` says with how many.

    It is its family's (`standardHBv4Family`), of which the catalogue knows no default, or for spot one for all of a
    region (`lowPriorityCores`). None for spot of a type that is not sold so. Capacity that is reserved counts like
    machines on demand.
    """
    if purchase == "spot":
        return _quotas()["lowPriorityCores"] if machine.spot else None
    code = machine.quotas["on_demand"]
    general = (
        _quotas()["family"] if machine.accelerator is None and machine.fabric is None else _quotas()["hpc_family"]
    )
    return replace(general, key=code, code=code, name=f"{machine.family} vCPUs")


def regional_quota(purchase: Purchase) -> Quota | None:
    """The quota that all machines of a region count against together, besides that of their family: `cores`.

    None for spot, whose only quota is for all of a region.
    """
    return None if purchase == "spot" else _quotas()["cores"]


def counted_vcpus(held: Machine) -> int:
    """The vCPUs that quotas count for a machine: of one with fewer cores for the same price, those of its full size.

    Source: Azure's own error for a Standard_HB120-16rs_v2 (2026-07-20): "Additional Required: 120".
    """
    full = machine("azure", full_size(held.name))
    return full.vcpus if full else held.vcpus


def service_quota(key: str) -> Quota:
    """A quota that is not about cores, such as `public_addresses`.

    Raises:
        KeyError: the catalogue has no quota of that name.
    """
    return _quotas()[key]


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("quotas", __file__)}
