"""Facts of the field as data: machines, zones, fabric, prices, quotas, file system steps; each with source and date.

No cloud SDK and no pydantic here: a command that needs one fact pays for reading one small file.
"""

from hpc_components.catalog.efa import Interface, addresses_per_node, efa_interfaces, efa_layout_unsure
from hpc_components.catalog.machines import (
    Accelerator,
    Cloud,
    Fabric,
    Machine,
    Purchase,
    close_names,
    is_known_type,
    is_previous_generation,
    machine,
    machines,
    real_memory_mib,
    regions_offering,
    zones_offering,
)
from hpc_components.catalog.regions import region_of_zone, regions, zones

__all__ = [
    "Accelerator",
    "Cloud",
    "Fabric",
    "Interface",
    "Machine",
    "Purchase",
    "addresses_per_node",
    "close_names",
    "efa_interfaces",
    "efa_layout_unsure",
    "is_known_type",
    "is_previous_generation",
    "machine",
    "machines",
    "real_memory_mib",
    "region_of_zone",
    "regions",
    "regions_offering",
    "zones",
    "zones_offering",
]
