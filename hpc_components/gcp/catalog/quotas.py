"""Google Cloud's quotas: CPUs by machine series, GPUs by model, and those of other services.

Older series have a metric of their own (`N2_CPUS`, `NVIDIA_A100_GPUS`), which `regions.get` returns. Newer ones share
one with a dimension (`CPUS_PER_VM_FAMILY vm_family=H4D`), which Cloud Quotas alone knows. No default is known of
either: it depends on the project's age and payments.
"""

from collections.abc import Iterator
from functools import cache

from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.quotas import Quota

COUNTED_AS_SPOT = ("spot", "flex_start")
"""The ways of buying whose machines count against the quotas of spot machines, called preemptible.

Without such a quota a project uses that of machines on demand. Source: Compute Engine documentation, "Provisioning
models", Quota; its release notes of 2024-06-18: preemptible allocation quotas also apply to temporary GPU VMs.
"""


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota that running a machine counts against in its region: of CPUs, or of GPUs where it has some.

    `counted_vcpus` says with how many. Machines of flex-start count like spot ones (`COUNTED_AS_SPOT`); those of a
    reservation count when that is made. None for spot of a type that is not sold so.
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
    """How much a machine counts against `machine_quota`: its vCPUs, or its GPUs where the quota is one of GPUs."""
    return machine.accelerator.count if machine.accelerator else machine.vcpus


def project_quotas(machine: Machine, purchase: Purchase) -> Iterator[tuple[Quota, int]]:
    """The quotas for all of a project's regions that a machine counts against besides, and with how many.

    Source: Compute Engine documentation, "Allocation quotas": CPUS_ALL_REGIONS counts machines on demand,
    GPUS_ALL_REGIONS all GPUs.
    """
    if purchase != "spot":
        yield _quotas()["CPUS_ALL_REGIONS"], machine.vcpus
    if machine.accelerator:
        yield _quotas()["GPUS_ALL_REGIONS"], machine.accelerator.count


def quota_dimension(code: str) -> tuple[str, str, str] | None:
    """Metric, dimension and value of a code with a dimension; None of one without.

    `("CPUS_PER_VM_FAMILY", "vm_family", "H4D")`.
    """
    metric, _, rest = code.partition(" ")
    dimension, _, value = rest.partition("=")
    return (metric, dimension, value) if value else None


def service_quota(key: str) -> Quota:
    """A quota of something other than a machine, such as `networks` or `pd_ssd`. KeyError: there is none."""
    return _quotas()[key]


def _title(machine: Machine, code: str, market: str) -> str:
    """As in `H4D CPUs`, `Preemptible L4 GPUs`."""
    spot = "Preemptible " if market == "spot" else ""
    if machine.accelerator:
        return f"{spot}{machine.accelerator.model} GPUs"
    return f"{spot}{'E2 and N1' if code == 'CPUS' else machine.family.upper()} CPUs"


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("quotas", __file__)}
