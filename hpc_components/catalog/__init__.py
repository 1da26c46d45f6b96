"""Catalogue of facts about machines, prices, quotas and more, each with its source and date.

Functions for cloud-specific facts take the cloud's name, as in `machine("aws", "hpc7a.96xlarge")`. They read the
cloud's `catalog` part, which is an instance of `clouds.CloudCatalog`. The catalogue imports neither a cloud SDK nor
pydantic, so that a command that needs a single fact only has to read one small file.
"""

from hpc_components.catalog.gpu_devices import GpuDevices, gpu_devices
from hpc_components.catalog.machine_type import Accelerator, Fabric, Machine, Purchase
from hpc_components.catalog.machines import (
    all_machines,
    close_names,
    is_known_type,
    is_previous_generation,
    machine,
    machines,
    real_memory_mib,
    regions_offering,
    zones_offering,
)
from hpc_components.catalog.mounts import reserved_mount
from hpc_components.catalog.operating_systems import OperatingSystem, operating_system, operating_systems
from hpc_components.catalog.price_and_quota import Price, Quota
from hpc_components.catalog.prices import HOURS_PER_MONTH, monthly_usd, price, service_price
from hpc_components.catalog.quotas import quota
from hpc_components.catalog.regions import region_of_zone, regions, zones

__all__ = [
    "HOURS_PER_MONTH", "Accelerator", "Fabric", "GpuDevices", "Machine", "OperatingSystem", "Price", "Purchase",
    "Quota", "all_machines", "close_names", "gpu_devices", "is_known_type", "is_previous_generation", "machine",
    "machines", "monthly_usd", "operating_system", "operating_systems", "price", "quota", "real_memory_mib",
    "region_of_zone", "regions", "regions_offering", "reserved_mount", "service_price", "zones", "zones_offering",
]  # fmt: skip
