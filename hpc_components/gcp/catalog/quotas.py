"""Looks up Google Cloud quotas: for CPUs by machine series, for GPUs by model, and for other services.

Each older series has a separate metric, such as `N2_CPUS` or `NVIDIA_A100_GPUS`, which `regions.get` returns. Newer
series share a metric with a dimension, such as `CPUS_PER_VM_FAMILY vm_family=H4D`, which only Cloud Quotas returns.
The default quotas are unknown, because they depend on the project's age and payment history.
"""

from collections.abc import Iterator
from functools import cache

from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Quota

COUNTED_AS_SPOT = ("spot", "flex_start")
"""Purchase options that count against the quotas for spot machines, which Google calls preemptible.

If a project has no spot quota, the on-demand quota applies. Source: Compute Engine documentation, "Provisioning
models", Quota; release notes of 2024-06-18: preemptible allocation quotas also apply to temporary GPU VMs.
"""


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the regional quota that a machine counts against: the GPU quota if the machine has GPUs, otherwise the
    CPU quota. Return None if `purchase` is `spot` but the machine type is not available as a spot machine.

    For flex-start machines, pass `spot` (see `COUNTED_AS_SPOT`). Machines from a reservation need no additional
    quota, because they were counted when the reservation was created.
    """
    market = "spot" if purchase == "spot" else "on_demand"
    if market == "spot" and not machine.spot:
        return None
    code = machine.quotas[market]
    shared = _quotas().get(code)
    if shared is not None:
        return shared
    return Quota(
        key=code,
        service="compute",
        code=code,
        name=_title(machine, code, market),
        unit="GPU" if machine.accelerator else "vCPU",
        default=None,
        source="Compute Engine documentation, Allocation quotas",
        as_of="2026-11",
    )


def counted_vcpus(machine: Machine) -> int:
    """Return how much of `machine_quota` a machine uses: its number of GPUs, or its number of vCPUs if it has no
    GPUs.
    """
    return machine.accelerator.count if machine.accelerator else machine.vcpus


def project_quotas(machine: Machine, purchase: Purchase) -> Iterator[tuple[Quota, int]]:
    """Yield (quota, amount) for each project-wide quota that a machine also counts against.

    Source: Compute Engine documentation, "Allocation quotas": CPUS_ALL_REGIONS counts on-demand machines,
    GPUS_ALL_REGIONS all GPUs.
    """
    if purchase != "spot":
        yield _quotas()["CPUS_ALL_REGIONS"], machine.vcpus
    if machine.accelerator:
        yield _quotas()["GPUS_ALL_REGIONS"], machine.accelerator.count


def quota_dimension(code: str) -> tuple[str, str, str] | None:
    """Return a quota's metric, dimension and value, or None if the quota has no dimension.

    Example: `("CPUS_PER_VM_FAMILY", "vm_family", "H4D")`.
    """
    metric, _, rest = code.partition(" ")
    dimension, _, value = rest.partition("=")
    return (metric, dimension, value) if value else None


def service_quota(key: str) -> Quota:
    """Return another service's quota, such as `networks` or `pd_ssd`. Raise KeyError if the key is unknown."""
    return _quotas()[key]


def _title(machine: Machine, code: str, market: str) -> str:
    spot = "Preemptible " if market == "spot" else ""
    if machine.accelerator:
        return f"{spot}{machine.accelerator.model} GPUs"
    return f"{spot}{'E2 and N1' if code == 'CPUS' else machine.family.upper()} CPUs"


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("quotas", __file__)}
