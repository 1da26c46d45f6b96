from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.machines import all_machines, machines, regions_offering
from hpc_components.catalog.price_and_quota import Price
from hpc_components.catalog.prices import price


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Conditions that a machine must meet. None accepts any value."""

    cloud: str | None = None
    gpu: str | None = None
    """Part of the accelerator's name, `any` for machines with an accelerator, or `none` for machines without one."""
    fabric: str | None = None
    """Part of the fabric's kind or name, e.g. `efa`, `infiniband` or `rdma`; `any` for machines with a fabric; or
    `none` for machines without one."""
    min_memory_gib: float = 0
    min_cores: int = 0
    region: str | None = None
    name: str | None = None
    """Part of the machine type's name."""

    def __call__(self, machine: Machine) -> bool:
        accelerator, fabric = machine.accelerator, machine.fabric
        return (
            self.cloud in (None, machine.cloud)
            and _has(self.gpu, f"{accelerator.manufacturer} {accelerator.model}" if accelerator else None)
            and _has(self.fabric, f"{fabric.kind} {fabric.name}" if fabric else None)
            and machine.memory_gib >= self.min_memory_gib
            and machine.cores >= self.min_cores
            and self.region in (None, *regions_offering(machine))
            and (self.name or "").lower() in machine.name.lower()
        )


def _has(wanted: str | None, text: str | None) -> bool:
    if wanted is None or wanted.lower() in ("any", "none"):
        return wanted is None or (wanted.lower() == "any") == (text is not None)
    return text is not None and wanted.lower() in text.lower()


@dataclass(frozen=True)
class Offer:
    """A machine type with its on-demand price."""

    machine: Machine
    region: str
    """Region of the price. If no region was requested, this is the first region with a known price or, failing that,
    the first region that sells the machine."""
    price: Price | None
    """Price per hour, or None if no list price is known."""

    @property
    def per_core(self) -> Decimal | None:
        """Price in USD per physical core-hour, or None if no list price is known."""
        return Decimal(str(self.price.usd)) / self.machine.cores if self.price else None

    def to_dict(self) -> dict[str, Any]:
        machine, accelerator, fabric = self.machine, self.machine.accelerator, self.machine.fabric
        return {
            "cloud": machine.cloud,
            "name": machine.name,
            "arch": machine.arch,
            "vcpus": machine.vcpus,
            "cores": machine.cores,
            "memory_gib": machine.memory_gib,
            "accelerator": f"{accelerator.count} x {accelerator.model}" if accelerator else None,
            "fabric": fabric.kind if fabric else None,
            "fabric_interfaces": fabric.interfaces if fabric else 0,
            "fabric_gbps": fabric.gbps if fabric else 0,
            "local_nvme_gb": machine.local_nvme_gb,
            "spot": machine.spot,
            "regions": list(regions_offering(machine)),
            "region": self.region,
            "usd_per_hour": float(self.price.usd) if self.price else None,
            "usd_per_core_hour": round(float(self.per_core), 5) if self.per_core is not None else None,
            "price_region": self.price.region if self.price else None,
            "price_as_of": self.price.as_of if self.price else None,
            "source": machine.source,
            "as_of": machine.as_of,
            "unsure": list(machine.unsure),
        }


def find_offers(wanted: Filter) -> list[Offer]:
    """Return the machines that match `wanted`, sorted by price per core. Machines without a price come last.

    Unless `wanted.name` is set, only machine types that clusters commonly use are searched.
    """
    held = all_machines(wanted.cloud) if wanted.name else machines(wanted.cloud)
    offers = [offer_of(machine, wanted.region) for machine in held if wanted(machine)]
    return sorted(offers, key=lambda offer: (offer.per_core is None, offer.per_core or 0, offer.machine.name))


def known_values(asked: Literal["gpu", "fabric", "region"]) -> list[str]:
    match asked:
        case "gpu":
            return sorted({machine.accelerator.model for machine in machines() if machine.accelerator})
        case "fabric":
            return sorted({machine.fabric.kind for machine in machines() if machine.fabric})
        case "region":
            return sorted({region for machine in machines() for region in machine.offered})


def offer_of(machine: Machine, region: str | None = None) -> Offer:
    """Return the offer for a machine, with the price in `region` (default: the first region with a known price)."""
    here = region or next((str(entry["region"]) for entry in machine.prices), None) or next(iter(machine.offered), "")
    return Offer(machine, here, price(machine, here, "on_demand"))
