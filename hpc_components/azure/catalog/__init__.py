"""Facts of Azure as data, and what Azure would refuse of an order.

`CATALOG` is what everybody asks for. The other modules are for Azure's own rules, components and plan readers:

- `lustre`, `nfs`, `disks`, `lifecycle`: what Managed Lustre, Azure Files, NetApp Files, managed disks and Blob
  storage sell, decided;
- `capacity`: how machines are bought (spot, reservations) and how many stand in one group;
- `machines`, `size_names`, `quotas`, `zones`: retirements, what a size's name says, quotas of cores, zones;
- `names`, `tag_names`, `blob_urls`, `arm_ids`: what names, tags, addresses of containers and ids may be;
- `images`, `lustre_clients`: public images of an operating system by machine, and its Lustre client;
- `networks`, `roles`, `throttles`, `limits`, `prices`: needs of subnets, built-in roles, how often Resource Manager
  answers, other limits, prices of what stands around machines.
"""

from hpc_components.azure.catalog.file_systems import reserved_mounts
from hpc_components.azure.catalog.machines import is_previous_generation, machines, other_machines, type_names
from hpc_components.azure.catalog.prices import regional_price
from hpc_components.azure.catalog.quotas import machine_quota
from hpc_components.azure.catalog.zones import regions, zone_mistake
from hpc_components.catalog.clouds import CloudCatalog

__all__ = ["CATALOG"]

CATALOG = CloudCatalog(
    machines=machines,
    other_machines=other_machines,
    type_names=type_names,
    is_previous_generation=is_previous_generation,
    without_prefix=lambda name: name.removeprefix("standard_"),
    regions=regions,
    zone_mistake=zone_mistake,
    regional_price=regional_price,
    quota=machine_quota,
    reserved_mounts=reserved_mounts,
)
