"""Five machine types, two regions, prices and quotas. `CATALOG` is what everybody asks for."""

from collections.abc import Iterator

from clouds.toy.catalog.ids import id_mistake
from hpc_components.catalog._load import records
from hpc_components.catalog.clouds import CloudCatalog, regions_of
from hpc_components.catalog.machine_type import Machine, Purchase, read_machines
from hpc_components.catalog.price_and_quota import Price, Quota, nearest_price
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits

DISK_TYPES = ("slow", "fast")
"""What can be told of a disk."""


def _machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, family=lambda name: name.partition("-")[0])


def service_price(item: str, region: str) -> Price | None:
    """What something other than a machine costs, such as `disk.fast`."""
    return nearest_price([record for record in records("prices", __file__) if record["item"] == item], region)


def _region_of_host(host: str) -> str | None:
    """`reef-1` of `db.reef-1.toy.example`."""
    name, _, rest = host.partition(".")
    region, _, domain = rest.partition(".")
    return region if name and domain == "toy.example" else None


def vcpu_quota(machine: Machine, purchase: Purchase) -> Quota:
    """The toy cloud counts vCPUs, those of spot machines apart."""
    key = "spot" if purchase == "spot" else "on_demand"
    return next(Quota(**record) for record in records("quotas", __file__) if record["key"] == key)


CATALOG = CloudCatalog(
    machines=_machines,
    type_names=lambda: frozenset(machine.name for machine in _machines()),
    regions=lambda: regions_of(_machines()),
    id_mistake=id_mistake,
    service_price=service_price,
    quota=vcpu_quota,
    addresses_per_node=lambda name, fabric: 2 if fabric and name == "coral-192" else 1,
    has_image=lambda os, machine: not (os == "debian-12" and machine.accelerator),
    image_gib=lambda os, machine: (40 if machine and machine.accelerator else 10, True),
    region_of_host=_region_of_host,
    budget_limits=lambda: BudgetLimits(notifications=4, addresses=2),
    log_retention=lambda: LogRetention(service="the toy cloud's diary", days=range(1, 366)),
    tag_limits=lambda: TagLimits(own=20, all=24, reserved=("toy-",)),
    reserved_mounts=lambda: ("/opt/toy",),
)
