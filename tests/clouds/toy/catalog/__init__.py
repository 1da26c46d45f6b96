"""Five machine types, two regions, prices and quotas. `CATALOG` is what everybody asks for."""

from collections.abc import Iterator

from hpc_components.catalog._load import records
from hpc_components.catalog.clouds import CloudCatalog, regions_of
from hpc_components.catalog.machine_type import Machine, Purchase, read_machines
from hpc_components.catalog.prices import Price, nearest_price
from hpc_components.catalog.quotas import Quota

__all__ = ["CATALOG", "DISK_TYPES", "service_price", "vcpu_quota"]

DISK_TYPES = ("slow", "fast")
"""What can be told of a disk."""


def _machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, family=lambda name: name.partition("-")[0])


def service_price(item: str, region: str) -> Price | None:
    """What something other than a machine costs, such as `disk.fast`."""
    return nearest_price([record for record in records("prices", __file__) if record["item"] == item], region)


def vcpu_quota(machine: Machine, purchase: Purchase) -> Quota:
    """The toy cloud counts vCPUs, those of spot machines apart."""
    key = "spot" if purchase == "spot" else "on_demand"
    return next(Quota(**record) for record in records("quotas", __file__) if record["key"] == key)


CATALOG = CloudCatalog(
    machines=_machines,
    type_names=lambda: frozenset(machine.name for machine in _machines()),
    regions=lambda: regions_of(_machines()),
    quota=vcpu_quota,
    reserved_mounts=lambda: ("/opt/toy",),
)
